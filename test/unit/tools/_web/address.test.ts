import t from 'tap'
import { toolModule } from '../../../support/tools/shipped.ts'

const { isPublic } = await toolModule<typeof import('../../../../tools/_web/address.ts')>('_web/address.ts')

const NOT_PUBLIC = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.1.2.3 127.255.255.254
  168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1
  192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255
  240.0.0.1 255.255.255.255
  :: ::1 ::7f00:1 ::8.8.8.8 ::ffff:0:127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
  64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 64:ff9b:1:ffff::808:808 100::1 100:0:0:1::1 2001::1
  2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 3fff::1
  4000::1 5f00::1 8000::1 fc00::1 fd00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 febf::1 fec0::1 feff::1 ff00::1 ff02::1
`

for (const address of NOT_PUBLIC.trim().split(/\s+/)) {
  t.test(`${address} is not public`, async t => {
    t.equal(isPublic(address), false)
  })
}

for (const address of ['8.8.8.8', '93.184.216.34', '100.63.0.1', '172.32.0.1', '::ffff:8.8.8.8', '2606:4700::1111']) {
  t.test(`${address} is public`, async t => {
    t.equal(isPublic(address), true)
  })
}

for (const text of ['', 'localhost', 'example.org', '1.2.3.4.5', '1.2.3.4/8']) {
  t.test(`${JSON.stringify(text)} is no address, so not a public one`, async t => {
    t.equal(isPublic(text), false)
  })
}
