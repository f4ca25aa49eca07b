/**
 * Public suffixes, by their last label: services that give anyone a subdomain for a page (those of the Public Suffix List's
 * private part, and others known for it), and second levels of countries. Below them the registrable domain has one label more.
 */
const suffixes: Readonly<Record<string, string>> = {
  '[a-z]{2}': 'ac co com edu gob gov gouv ltd mil ne net nom or org plc',
  app: '4everland adaptable a.run begin botdash chatgpt csb cyclic deta edgeone expo flutterflow framer hasura icp0 koyeb leapcell lovable netlify ngrok ngrok-free northflank on-fleek ondigitalocean onrender railway up.railway replit run sevalla streamlit telebit v0 vercel wasmer web webcontainer windsurf zeabur',
  dev: 'deno deta fly github inbrowser is-a ngrok ngrok-free pages r2 replit stg val vercel workers zeabur',
  com: 'amplifyapp appspot awsapprunner blogspot br cn co de elasticbeanstalk eu firebaseapp githubusercontent googleusercontent gr herokuapp hu jpn mex myshopify mystrikingly netlify onrender pythonanywhere ru s3.amazonaws sa trycloudflare uk us w3spaces weebly weeblysite wixsite wixstudio wordpress za',
  net: 'azurefd azurestaticapps azurewebsites cloudfront cloudfunctions global.ssl.fastly hu in jp serveo se uk za',
  io: 'codesandbox fleek g8way gitbook github gitlab gitpod hoster icp0 loca nfshost ngrok on-fleek pantheonsite qoddi readthedocs ic0 stackblitz telebit vaporcloud webflow',
  'org|me|co': 'carrd eu fleek glitch gumroad hf js neocities on-fleek repl vercel wixstudio',
  'host|site|page|cloud|space|website|run':
    'bolt co code framer hf hostingersite kinsta mystrikingly repl square static.hf tiiny val webflow',
  link: 'cf-ipfs dweb ipfs.dweb ipns.dweb eth inbrowser ipfs.inbrowser ipns.inbrowser nftstorage ipfs.nftstorage pinggy w3s ipfs.w3s',
  'limo|sh|lt|goog|life|kg|mn|ai|media': 'eth now surge vercel loca translate lhr us nyc framer',
};

const publicSuffix = new RegExp(
  `(?:^|\\.)(?:${Object.entries(suffixes)
    .map(([last, names]) => `(?:${names.replaceAll('.', '\\.').replaceAll(' ', '|')})\\.(?:${last})`)
    .join('|')})$`,
);

/** The part of a host name that one owner registers: `example.com` of `app.example.com`. The whole of an IP address. */
export function registrableDomain(hostname: string): string {
  const labels = hostname.split('.');
  const isAddress = /^\[|^[\d.]+$/.test(hostname);
  const suffix = publicSuffix.exec(hostname)?.[0].replace(/^\./, '');
  const count = isAddress ? labels.length : suffix === undefined ? 2 : suffix.split('.').length + 1;
  return labels.slice(-count).join('.');
}
