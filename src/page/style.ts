// The style of the page: light and dark, from a phone's width on. It has no images and no fonts.
export const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#d0d5dd,#3b424e);--soft:light-dark(#f4f5f7,#1c2129);
--quiet:light-dark(#515b6b,#a8b3c2);--link:light-dark(#0b57d0,#8ab4f8);--warn:light-dark(#a1260d,#ffb4a1)}
*{box-sizing:border-box}
body{margin:0 auto;max-width:56rem;padding:1.5rem 1rem 4rem;font:1rem/1.55 system-ui,sans-serif;
color:light-dark(#1a1f27,#e6e9ee);background:light-dark(#fff,#12161c);overflow-wrap:anywhere}
header .name{display:flex;gap:1rem;align-items:center}
header img{width:3rem;height:3rem;object-fit:contain}
h1{font-size:1.6rem;line-height:1.25;margin:0}
h2{font-size:1.2rem;margin:2.2rem 0 .6rem}
h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.4rem 0}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.quiet{color:var(--quiet)}
.text{white-space:pre-wrap}
nav ul,.tools{list-style:none;padding:0;margin:1rem 0 0}
nav ul{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:1.2rem 0 0}
dt{color:var(--quiet)}
dd{margin:0}
.tools li{border-top:1px solid var(--line);padding:.8rem 0}
.tools h3{margin:0}
.mark{border:1px solid var(--line);border-radius:1rem;padding:0 .5rem;font-size:.85rem;font-weight:400;
color:var(--quiet);white-space:nowrap}
.warn{color:var(--warn);border-color:var(--warn)}
code,pre{font:.9rem/1.5 ui-monospace,monospace}
pre{background:var(--soft);border:1px solid var(--line);border-radius:.4rem;padding:.6rem .8rem;margin:.4rem 0;
overflow-x:auto;user-select:all;-webkit-user-select:all}
details{border-top:1px solid var(--line)}
details>div{padding:0 0 1rem 1.1rem}
summary{cursor:pointer;padding:.6rem 0;font-weight:600}
ol{padding-left:1.4rem;margin:.4rem 0}
@media (max-width:30rem){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}
`
