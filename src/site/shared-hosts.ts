import { isLoopback } from '../rpc/loopback.js';

/**
 * Hosts under which anyone can get a name, and why none of them can be the origin of a wallet. The list is short on
 * purpose: it covers the common ones, to stop a mistake, and cannot be complete.
 */
const reasons = {
  pages:
    'Names under it are given to anybody, and to somebody else once you lose yours; dapps on your own domain are other sites, so the wallet would get no frame in them',
  account: 'All sites of one account, or of one bucket, share its origin: any of them could read the keys',
  address: 'Anybody can make it lead to any machine',
  tunnel: 'The name is lent for a while and then given to somebody else, who gets the wallet with it',
} as const;

const shared: Readonly<Record<keyof typeof reasons, readonly string[]>> = {
  pages: [
    ...['netlify.app', 'pages.dev', 'workers.dev', 'vercel.app', 'now.sh', 'web.app', 'firebaseapp.com'],
    ...['herokuapp.com', 'onrender.com', 'fly.dev', 'deno.dev', 'surge.sh', 'glitch.me', 'replit.app'],
    ...['azurewebsites.net', 'azurestaticapps.net', 'cloudfront.net', 'amplifyapp.com', 'blogspot.com'],
    ...['eth.limo', 'eth.link'],
  ],
  account: [
    ...['github.io', 'gitlab.io', 'bitbucket.io', 'codeberg.page', 'amazonaws.com', 'windows.net'],
    ...['storage.googleapis.com', 'ipfs.io', 'dweb.link'],
  ],
  address: ['nip.io', 'sslip.io', 'xip.io', 'localtest.me', 'lvh.me', 'traefik.me'],
  tunnel: ['ngrok.io', 'ngrok.app', 'ngrok-free.app', 'trycloudflare.com', 'loca.lt', 'serveo.net'],
};

/**
 * Why a host cannot be a wallet's, as a sentence; `undefined` if nothing speaks against it.
 *
 * @param hostname as in `new URL(…).hostname`
 */
export function whyShared(hostname: string): string | undefined {
  const host = hostname.replace(/\.$/, '');
  for (const kind of Object.keys(shared) as (keyof typeof reasons)[])
    for (const suffix of shared[kind])
      if (host === suffix || host.endsWith(`.${suffix}`))
        return `${host} is under ${suffix}. ${reasons[kind]}.`;
  return /^(\d+(\.\d+){3}|\[.*\])$/.test(host) && !isLoopback(host)
    ? `${host} is an address and not a name. Addresses change owners, and passkeys need a name.`
    : undefined;
}
