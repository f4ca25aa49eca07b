import { expect, test } from 'vitest';
import { registrableDomain } from '../../../src/rpc/registrable-domain.js';

test.each([
  ...['github.io', 'gitlab.io', 'vercel.app', 'netlify.app', 'pages.dev', 'workers.dev', 'web.app'],
  ...['firebaseapp.com', 'deno.dev', 'dweb.link', 'ipfs.dweb.link', 'ipns.dweb.link', 'eth.limo', 'eth.link'],
  ...['railway.app', 'up.railway.app', 'ondigitalocean.app', '4everland.app', 'replit.app', 'replit.dev'],
  ...['repl.co', 'surge.sh', 'now.sh', 'hf.space', 'static.hf.space', 'trycloudflare.com', 'ngrok.io'],
  ...['ngrok-free.app', 'ngrok.app', 'glitch.me', 'on-fleek.app', 'fleek.co', 'lovable.app', 'bolt.host'],
  ...['webflow.io', 'framer.app', 'framer.website', 'codesandbox.io', 'csb.app', 'stackblitz.io'],
  ...['streamlit.app', 'kinsta.page', 'wixsite.com', 'w3spaces.com', 'carrd.co', 'tiiny.site', 'val.run'],
  ...['code.run', 'koyeb.app', 'zeabur.app', 'edgeone.app', 'onrender.com', 'fly.dev', 'herokuapp.com'],
  ...['azurewebsites.net', 'cloudfront.net', 's3.amazonaws.com', 'blogspot.com', 'wordpress.com', 'icp0.io'],
  ...['a.run.app', 'appspot.com', 'amplifyapp.com', 'js.org', 'eu.org', 'is-a.dev', 'uk.com', 'co.com'],
  ...['us.kg', 'nyc.mn', 'loca.lt', 'translate.goog', 'w3s.link', 'co.uk', 'com.ar', 'gob.ar', 'com.br'],
])('everybody may have a subdomain of %s', (suffix) => {
  expect(registrableDomain(`evil.${suffix}`)).toBe(`evil.${suffix}`);
  expect(registrableDomain(`a.b.evil.${suffix}`)).toBe(`evil.${suffix}`);
  expect(registrableDomain(suffix).endsWith(suffix)).toBe(true);
});

test.each([
  ['app.example.com', 'example.com'],
  ['a.rootstock.io', 'rootstock.io'],
  ['a.rsk.co', 'rsk.co'],
  ['a.mygithub.io', 'mygithub.io'],
  ['vercel.app.evil.example', 'evil.example'],
  ['x.vercel.com', 'vercel.com'],
  ['x.amazonaws.com', 'amazonaws.com'],
  ['localhost', 'localhost'],
  ['127.0.0.1', '127.0.0.1'],
  ['[2001:db8::1]', '[2001:db8::1]'],
])('%s belongs to the owner of %s', (host, owner) => {
  expect(registrableDomain(host)).toBe(owner);
});
