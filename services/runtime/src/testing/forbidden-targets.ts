import { isIP } from 'node:net';

/** URLs that lead, or could lead, into the network of this machine, without a name that has to be resolved. */
export const forbiddenTargets: readonly string[] = [
  // Loopback, also in decimal, octal, hexadecimal and short form.
  ...[
    'https://127.0.0.1/',
    'https://127.0.0.1:8443/',
    'https://127.255.255.254/',
    'https://127.1/',
    'https://127.0.1/',
  ],
  ...['https://2130706433/', 'https://0x7f000001/', 'https://017700000001/', 'https://0177.0.0.1/', 'https://0x7f.1/'],
  ...['https://127.0.0.1./', 'https://①②⑦.0.0.1/', 'https://127。0。0。1/', 'https://%31%32%37.0.0.1/'],
  // This host and private networks.
  ...['https://0.0.0.0/', 'https://0/', 'https://0.0.0.1/', 'https://10.0.0.1/', 'https://10.255.255.255/'],
  ...['https://167772161/', 'https://012.0.0.1/', 'https://172.16.0.1/', 'https://172.31.255.255/'],
  ...['https://192.168.0.1/', 'https://192.168.1.1:8080/', 'https://0xc0a80101/', 'https://100.64.0.1/'],
  ...[
    'https://192.0.0.1/',
    'https://192.0.2.1/',
    'https://198.18.0.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
  ],
  ...['https://224.0.0.1/', 'https://240.0.0.1/', 'https://255.255.255.255/'],
  // Cloud metadata services and link-local networks.
  ...[
    'https://169.254.169.254/latest/meta-data',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://0251.0376.0251.0376/',
  ],
  ...['https://169.254.0.1/', 'https://100.100.100.200/', 'https://192.0.0.192/', 'https://168.63.129.16/'],
  // IPv6, also with an embedded IPv4 address: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
  ...['https://[::1]/', 'https://[0:0:0:0:0:0:0:1]/', 'https://[::]/', 'https://[fe80::1]/', 'https://[fec0::1]/'],
  ...[
    'https://[fc00::1]/',
    'https://[fd00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fd20:ce::254]/',
    'https://[ff02::1]/',
  ],
  ...[
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[::127.0.0.1]/',
  ],
  ...['https://[::ffff:0:127.0.0.1]/', 'https://[64:ff9b::7f00:1]/', 'https://[64:ff9b::a9fe:a9fe]/'],
  ...[
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2002:a9fe:a9fe::1]/',
    'https://[2001:0:7f00:1::]/',
  ],
  ...['https://[2606:4700::5efe:10.0.0.1]/', 'https://[2001:db8::1]/', 'https://[3fff::1]/', 'https://[4000::1]/'],
  // Schemes, credentials and ports.
  ...['http://example.com/', 'http://10.0.0.1/', 'ftp://example.com/', 'file:///etc/passwd', 'unix:/run/docker.sock'],
  ...['http+unix://%2Frun%2Fdocker.sock/', 'gopher://example.com:70/', 'data:text/plain,x', 'javascript:0'],
  ...['https://user@example.com/', 'https://user:secret@example.com/', 'https://example.com@127.0.0.1/'],
  ...['https://example.com:25/', 'https://example.com:22/', 'https://example.com:1/', 'https://example.com:1023/'],
  ...['https://', 'https://[::1/', '//127.0.0.1/', 'nonsense', ''],
];

/** Names that resolve to addresses which are not allowed, or to some that are and some that are not. */
export const rebindingNames: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  'private.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'nat64.example': ['64:ff9b::a9fe:a9fe'],
  '6to4.example': ['2002:7f00:1::'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'mixed6.example': ['2606:4700::1111', 'fd00::1'],
  'loopback.example.': ['127.0.0.1'],
  'xn--mnchen-3ya.example': ['192.168.1.1'],
};

/** Belongs to nobody's private network; tests give it to a network of their own. */
export const publicAddress = '93.184.216.34';
/** Has the public address once, and a private one afterwards. */
export const rebindingName = 'rebinding.example';

/** The addresses of forbidden targets, as a name server of an attacker can return them. */
const literals = forbiddenTargets.flatMap((url) => {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') : '';
  return isIP(host) === 0 ? [] : [host];
});

/** Names without a dot at the end, and their addresses. */
export const addressesByName: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(rebindingNames).filter(([name]) => !name.endsWith('.'))),
  ...Object.fromEntries([...new Set(literals)].map((address, nth) => [`a${nth}.example`, [address]])),
  ...Object.fromEntries(
    [...new Set(literals)].map((address, nth) => [`mixed${nth}.example`, [publicAddress, address]]),
  ),
};
