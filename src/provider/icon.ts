/** The mark of Graft as a data URI (RFC 2397), square, as EIP-6963 asks: a shoot set into a stem. */
export const icon =
  'data:image/svg+xml,' +
  "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 96 96'%3E%3Crect width='96' height='96' rx='22' fill='%23172b26'/%3E" +
  "%3Cpath d='M44 46h9v38h-9' fill='%23f2efe6'/%3E" +
  "%3Cpath d='M48 58C28 58 20 44 20 24c20 0 28 14 28 34z' fill='%23ff9a3d'/%3E" +
  "%3Cpath d='M48 50c0-18 9-30 28-32 0 20-9 32-28 32z' fill='%237ed6a5'/%3E%3C/svg%3E";
