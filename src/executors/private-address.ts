import { BlockList, isIP } from 'node:net';

const special = new BlockList();
// IANA IPv4 special-purpose registry (RFC 6890): this host, private, shared, loopback, link-local with
// the metadata service, protocol assignments, documentation, benchmarking, multicast, reserved.
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])
  add(range, 'ipv4');
// Tunnels that carry an IPv4 address of any kind (Teredo, 6to4), and documentation.
for (const range of ['2001::/32', '2002::/16', '2001:db8::/32', '3fff::/20']) add(range, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/**
 * True for an address that is not one of the public internet: private, loopback, link-local, unique
 * local, mapped, reserved or no address at all. Of IPv6 only global unicast (2000::/3) is public.
 */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return special.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return true;
  return !globalUnicast.check(address, 'ipv6') || special.check(address, 'ipv6');
}

function add(range: string, family: 'ipv4' | 'ipv6'): void {
  const [network = '', prefix] = range.split('/');
  special.addSubnet(network, Number(prefix), family);
}
