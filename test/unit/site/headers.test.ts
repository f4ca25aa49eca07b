import { expect, test } from 'vitest';
import { readConfiguration } from '../../../src/site/configuration.js';
import { headersOf } from '../../../src/site/headers.js';
import { siteOptions } from '../../support/wallet-site.js';

const configuration = readConfiguration(
  JSON.stringify(
    siteOptions('https://wallet.example.com', {
      networks: [
        { chainId: 30, url: ['https://one.example/planted-key', 'https://two.example/planted-key'] },
        { chainId: 31, url: 'https://one.example/planted-other' },
      ],
      endpoints: ['https://three.example'],
    }),
  ),
);
const policy = (file: Parameters<typeof headersOf>[0]) =>
  headersOf(file, configuration)['Content-Security-Policy'];

test('the frame may be in the allowed dapps only, and connects to the services of the networks only', () => {
  expect(headersOf('frame', configuration)).toMatchInlineSnapshot(`
    {
      "Cache-Control": "no-cache",
      "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' https://one.example https://two.example https://three.example; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors https://app.example.com https://shop.example.com; require-trusted-types-for 'script'; trusted-types graft",
      "Cross-Origin-Embedder-Policy": "require-corp",
      "Cross-Origin-Resource-Policy": "same-site",
      "Origin-Agent-Cluster": "?1",
      "Permissions-Policy": "clipboard-write=(self), publickey-credentials-create=(self), publickey-credentials-get=(self), accelerometer=(), autoplay=(), camera=(), clipboard-read=(), display-capture=(), encrypted-media=(), fullscreen=(), gamepad=(), geolocation=(), gyroscope=(), hid=(), identity-credentials-get=(), idle-detection=(), keyboard-map=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), otp-credentials=(), payment=(), picture-in-picture=(), screen-wake-lock=(), serial=(), usb=(), window-management=(), xr-spatial-tracking=()",
      "Referrer-Policy": "no-referrer",
      "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
      "X-Content-Type-Options": "nosniff",
    }
  `);
});

test('home and window may be in no frame, and are cut off from the page that opens them', () => {
  for (const file of ['home', 'window'] as const) {
    expect(policy(file)).toContain("frame-ancestors 'none'");
    expect(headersOf(file, configuration)).toMatchObject({
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
  }
});

test('the window for dapps of other sites keeps its opener, and is in no frame either', () => {
  expect(headersOf('connect', configuration)).toEqual({
    ...headersOf('window', configuration),
    'Cross-Origin-Opener-Policy': 'unsafe-none',
  });
});

test('a wallet that no dapp may use is in no frame at all', () => {
  const alone = { ...configuration, allow: [] };
  expect(headersOf('frame', alone)['Content-Security-Policy']).toContain("frame-ancestors 'none'");
});

test('no key of a service is in a header', () => {
  for (const file of ['home', 'frame', 'window', 'configuration', 'asset'] as const)
    expect(JSON.stringify(headersOf(file, configuration))).not.toContain('planted');
});

test('scripts are kept by the browser, and what may change is asked for each time', () => {
  const cache = (file: Parameters<typeof headersOf>[0]) => headersOf(file, configuration)['Cache-Control'];
  expect(cache('asset')).toBe('public, max-age=31536000, immutable');
  const changing = [
    'home',
    'frame',
    'window',
    'configuration',
    'release',
    'manifest',
    'icon',
    'serviceWorker',
  ];
  for (const file of changing) expect(cache(file as 'home')).toBe('no-cache');
});

test('the home document alone may be an app, whose worker may fetch from its own origin and run nothing else', () => {
  expect(policy('home')).toContain("manifest-src 'self';");
  for (const file of ['frame', 'window', 'connect'] as const) expect(policy(file)).not.toContain('manifest');
  expect(policy('serviceWorker')).toBe("default-src 'none'; connect-src 'self'; frame-ancestors 'none'");
  expect(headersOf('manifest', configuration)['Content-Type']).toBe('application/manifest+json');
});

test('the socket that pushes heads may be connected to, its key is in no header', () => {
  const pushed = readConfiguration(
    JSON.stringify(
      siteOptions('https://wallet.example.com', {
        networks: [{ chainId: 30, url: 'https://one.example/k', push: 'wss://push.example/planted-key' }],
      }),
    ),
  );
  const headers = JSON.stringify(headersOf('frame', pushed));
  expect(headers).toContain("connect-src 'self' https://one.example wss://push.example;");
  expect(headers).not.toContain('planted-key');
});
