// The style of the pages: light and dark, for phones and larger screens. No images, no fonts.
export const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#d0d5dd,#3b424e);--soft:light-dark(#f4f5f7,#1c2129);
--quiet:light-dark(#515b6b,#a8b3c2);--main:light-dark(#0b57d0,#8ab4f8);--warn:light-dark(#a1260d,#ffb4a1)}
*{box-sizing:border-box}
body{margin:0 auto;max-width:34rem;padding:3rem 1rem;font:1rem/1.55 system-ui,sans-serif;
color:light-dark(#1a1f27,#e6e9ee);background:light-dark(#fff,#12161c);overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.3;margin:0 0 1rem}
h2{font-size:1rem;margin:1.4rem 0 .3rem}
p{margin:.5rem 0}
ul{margin:.3rem 0;padding-left:1.3rem}
dl{border:1px solid var(--line);border-radius:.5rem;background:var(--soft);padding:.8rem 1rem;margin:1rem 0}
dt{color:var(--quiet);font-size:.9rem}
dd{margin:0 0 .6rem;font-weight:600}
dd:last-child{margin:0}
.quiet{color:var(--quiet)}
.warn{color:var(--warn)}
form{display:flex;flex-wrap:wrap;gap:.8rem;margin:1.6rem 0}
button{font:inherit;font-weight:600;padding:.6rem 1.2rem;border-radius:.5rem;border:1px solid var(--main);cursor:pointer;
background:transparent;color:var(--main)}
button[value=allow]{background:var(--main);color:light-dark(#fff,#12161c)}
a{color:var(--main)}
a:focus-visible,button:focus-visible{outline:3px solid var(--main);outline-offset:3px}
`
