/**
 * Whose limits apply to an address: an IPv4 address alone, of IPv6 its /64, which one customer has. `unknown` for anything
 * else.
 */
export function clientOf(address: string | undefined): string {
  const text = (address ?? '').trim().replace(/%.*$/, '');
  if (isIpv4(text)) return text;
  const groups = ipv6Groups(text);
  if (!groups) return 'unknown';
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((each) => each === 0) && groups[5] === 0xffff)
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  return `${groups
    .slice(0, 4)
    .map((each) => each.toString(16))
    .join(':')}::/64`;
}

/**
 * The address that the outermost trusted proxy has seen. Each proxy appends the address of who speaks to it, so that what
 * stands left of these was written by the client.
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

function ipv6Groups(text: string): number[] | undefined {
  if (!text.includes(':') || !URL.canParse(`http://[${text}]/`)) return undefined;
  // The URL parser has brought it into its shortest form, without dots.
  const [before = '', after] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((each) => Number.parseInt(each, 16));
  const [left, right] = [read(before), read(after ?? '')];
  return [...left, ...new Array(8 - left.length - right.length).fill(0), ...right];
}
