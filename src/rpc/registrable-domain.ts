/**
 * Common public suffixes of two labels: country-code second levels, and hosting services that give each user a
 * subdomain. Below them the registrable domain has three labels.
 */
const publicSuffix =
  /(?:^|\.)(?:(?:ac|co|com|edu|gob|gov|gouv|ltd|mil|ne|net|nom|or|org|plc)\.[a-z]{2}|(?:github|gitlab|readthedocs)\.io|(?:netlify|vercel|web|fly|onrender)\.(?:app|dev|com)|(?:pages|workers)\.dev|(?:herokuapp|blogspot|azurewebsites|cloudfront)\.(?:com|net)|eth\.(?:limo|link))$/;

/** The part of a host name that one owner registers: `example.com` of `app.example.com`. The whole of an IP address. */
export function registrableDomain(hostname: string): string {
  const labels = hostname.split('.');
  const isAddress = /^\[|^[\d.]+$/.test(hostname);
  const count = isAddress ? labels.length : publicSuffix.test(labels.slice(-2).join('.')) ? 3 : 2;
  return labels.slice(-count).join('.');
}
