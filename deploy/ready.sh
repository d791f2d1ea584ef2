# Health check of the images: whether GET /ready of this container is 200. Bash opens the connection itself, so that
# no check starts a Node process.
exec 3<> "/dev/tcp/127.0.0.1/$PORT" || exit 1
printf 'GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 2 _ status _ <&3
[ "$status" = 200 ]
