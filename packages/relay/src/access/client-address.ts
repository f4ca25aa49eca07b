/**
 * The client that an address counts as: an IPv4 address itself, or the /64 of an IPv6 address, which one customer has. An IPv6
 * address that contains an IPv4 one ({@link ipv4Within}) counts as that one. `unknown` for anything else.
 */
export function clientOf(address: string | undefined): string {
  const text = (address ?? '')
    .trim()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '');
  if (isIpv4(text)) return text.split('.').map(Number).join('.');
  const groups = ipv6Groups(text);
  if (!groups) return 'unknown';
  return ipv4Within(groups) ?? `${written(groups.slice(0, 4))}::/64`;
}

/** A block of addresses that one customer may have, and how many clients it counts as. */
export interface AddressBlock {
  readonly name: string;
  readonly factor: number;
  /**
   * Whether it may be all customers of a provider too: then the factor is for its share of the day alone, and it may hold
   * half of all connections.
   */
  readonly isWide: boolean;
}

/**
 * The blocks around a client that is an IPv6 /64, the smallest first: providers hand out a /56 or a /48, and each holds
 * hundreds or thousands of /64s. A registry hands out a /32, which holds as many /48s. None for other clients.
 *
 * @param client `ip ` and what {@link clientOf} returns
 */
export function blocksAround(client: string): readonly AddressBlock[] {
  const [, prefix] = /^ip ([0-9a-f:]+)::\/64$/.exec(client) ?? [];
  if (prefix === undefined) return [];
  const [a = 0, b = 0, c = 0, d = 0] = prefix.split(':').map((each) => Number.parseInt(each, 16));
  return [
    { name: `ip ${written([a, b, c, d & 0xff00])}::/56`, factor: 2, isWide: false },
    { name: `ip ${written([a, b, c])}::/48`, factor: 4, isWide: false },
    { name: `ip ${written([a, b])}::/32`, factor: 10, isWide: true },
  ];
}

/** A client as a block of its own, and {@link blocksAround} it. */
export const levelsOf = (client: string): readonly AddressBlock[] => [
  { name: client, factor: 1, isWide: false },
  ...blocksAround(client),
];

/** Maximum connections of a block. @param each of one client @param inAll of the server */
export const maxConnections = (
  { factor, isWide }: Omit<AddressBlock, 'name'>,
  each: number,
  inAll: number,
) => (isWide ? Math.ceil(inAll / 2) : each * factor);

/**
 * The address that the outermost trusted proxy has seen. Each proxy appends the address of its peer, so that the entries left of
 * these were written by the client.
 *
 * @param peer address of the connection
 * @param forwarded the header `X-Forwarded-For`
 * @param proxies how many of its last entries were written by proxies of ours
 */
export function addressBehind(
  peer: string | undefined,
  forwarded: string | null,
  proxies: number,
): string | undefined {
  const seen = (forwarded ?? '')
    .split(',')
    .map((each) => withoutPort(each.trim()))
    .filter((each) => each !== '');
  if (proxies === 0 || seen.length === 0) return peer;
  const address = seen[Math.max(0, seen.length - proxies)];
  return clientOf(address) === 'unknown' ? peer : address;
}

const withoutPort = (text: string): string =>
  /^\[(.*)\](:\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');

const isIpv4 = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split('.').every((each) => Number(each) < 256);

const written = (groups: readonly number[]): string => groups.map((each) => each.toString(16)).join(':');

/**
 * The IPv4 address in an IPv6 one: mapped (`::ffff:0:0/96`, `::ffff:0:0:0/96`), translated by NAT64 (`64:ff9b::/96`, and
 * `64:ff9b:1::/48` of local networks with a /96 or a /48 prefix, RFC 6052 §2.2), of 6to4 (`2002::/16`) or Teredo
 * (`2001::/32`, inverted). Behind one translator or server they share a /64.
 */
function ipv4Within(groups: readonly number[]): string | undefined {
  const [a, b, c, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const start = written(groups.slice(0, 6));
  if (['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0'].includes(start)) return ipv4Of(g, h);
  if (a === 0x2002) return ipv4Of(b as number, c as number);
  if (a === 0x2001 && b === 0) return ipv4Of(g ^ 0xffff, h ^ 0xffff);
  if (a !== 0x64 || b !== 0xff9b || c !== 1) return undefined;
  // With a /48 prefix the address is around the eight bits that are zero, and the last ones are unused.
  return g === 0 && h === 0 ? ipv4Of(d, ((e & 0xff) << 8) | (f >> 8)) : ipv4Of(g, h);
}

const ipv4Of = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;

function ipv6Groups(text: string): number[] | undefined {
  if (!text.includes(':') || !URL.canParse(`http://[${text}]/`)) return undefined;
  // The URL parser has brought it into its shortest form, without dots.
  const [before = '', after] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((each) => Number.parseInt(each, 16));
  const [left, right] = [read(before), read(after ?? '')];
  return [...left, ...new Array(8 - left.length - right.length).fill(0), ...right];
}
