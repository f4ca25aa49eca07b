import { expect, test } from 'vitest';
import { addressBehind, blocksAround, clientOf } from '../../src/access/client-address.js';

test('an IPv4 address is a client, of IPv6 its /64', () => {
  expect(clientOf('203.0.113.9')).toBe('203.0.113.9');
  expect(clientOf('::ffff:203.0.113.9')).toBe('203.0.113.9');
  expect(clientOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(clientOf('2001:0DB8:1:2:ffff::1')).toBe('2001:db8:1:2::/64');
  expect(clientOf('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(clientOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(clientOf('::1')).toBe('0:0:0:0::/64');
});

test('one address is one client, however it is written', () => {
  for (const text of [
    '::ffff:203.0.113.9',
    '::FFFF:cb00:7109',
    '0:0:0:0:0:ffff:cb00:7109',
    '::ffff:0:203.0.113.9',
    '64:ff9b::203.0.113.9',
    '2002:cb00:7109::1',
    '2002:cb00:7109:ffff::1',
    '[::ffff:203.0.113.9]',
    ' 203.0.113.9 ',
    '203.000.113.009',
    '::ffff:203.0.113.9%eth0',
  ])
    expect(clientOf(text), text).toBe('203.0.113.9');
  for (const text of ['2001:db8:1:2::', '2001:db8:1:2:ffff:ffff:ffff:ffff', '[2001:DB8:1:2::9]'])
    expect(clientOf(text), text).toBe('2001:db8:1:2::/64');
});

test('addresses behind one translator are distinguished by the IPv4 address in them', () => {
  for (const text of [
    '64:ff9b::cb00:7109',
    '64:ff9b:1::203.0.113.9',
    '64:ff9b:1:fffe::203.0.113.9',
    '64:ff9b:1:abcd:12:3456:cb00:7109',
    // With a prefix of 48 bits (RFC 6052).
    '64:ff9b:1:cb00:71:900::',
    // Teredo inverts the address.
    '2001:0:4136:e378:8000:63bf:34ff:8ef6',
  ])
    expect(clientOf(text), text).toBe('203.0.113.9');
  expect(clientOf('64:ff9b:2::203.0.113.9')).toBe('64:ff9b:2:0::/64');
  expect(clientOf('64:ff9b::1:203.0.113.9')).toBe('64:ff9b:0:0::/64');
  expect(clientOf('2001:1::1')).toBe('2001:1:0:0::/64');
});

test('around a /64 are a /56, a /48 and a /32, around other clients none', () => {
  const blocks = [
    { name: 'ip 2001:db8:1:ab00::/56', factor: 2, isWide: false },
    { name: 'ip 2001:db8:1::/48', factor: 4, isWide: false },
    { name: 'ip 2001:db8::/32', factor: 10, isWide: true },
  ];
  for (const address of ['2001:db8:1:ab00::1', '2001:db8:1:abff::1', '2001:db8:1:ab12:5::'])
    expect(blocksAround(`ip ${clientOf(address)}`)).toEqual(blocks);
  for (const name of ['ip 203.0.113.9', 'ip unknown', 'sub alice', 'sub ip 2001:db8:1:2::/64'])
    expect(blocksAround(name)).toEqual([]);
});

test('anything else is unknown', () => {
  for (const text of [
    undefined,
    '',
    'localhost',
    '1.2.3',
    '999.1.1.1',
    ':::',
    '1:2:3:4:5:6:7:8:9',
    '<script>',
  ])
    expect(clientOf(text)).toBe('unknown');
});

test('X-Forwarded-For counts for nothing without a trusted proxy', () => {
  expect(addressBehind('10.0.0.1', '203.0.113.9', 0)).toBe('10.0.0.1');
});

test('behind trusted proxies the address is the one that the outermost has seen', () => {
  expect(addressBehind('10.0.0.1', '6.6.6.6, 203.0.113.9', 1)).toBe('203.0.113.9');
  expect(addressBehind('10.0.0.1', '6.6.6.6, 203.0.113.9, 10.0.0.2', 2)).toBe('203.0.113.9');
  expect(addressBehind('10.0.0.1', '203.0.113.9', 3)).toBe('203.0.113.9');
  expect(addressBehind('10.0.0.1', '203.0.113.9:4711', 1)).toBe('203.0.113.9');
  expect(addressBehind('10.0.0.1', '[2001:db8::1]:443', 1)).toBe('2001:db8::1');
});

test('a header that is missing or no address leaves the address of the connection', () => {
  for (const header of [null, '', ' , ', 'unknown', '_hidden'])
    expect(addressBehind('10.0.0.1', header, 1)).toBe('10.0.0.1');
});
