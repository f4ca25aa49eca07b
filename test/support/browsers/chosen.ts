const all = ['chromium', 'firefox', 'webkit'] as const;

/**
 * The browsers that `npm run test:all` runs: all, unless `GRAFT_BROWSERS` names fewer (`GRAFT_BROWSERS=chromium,firefox`) on a
 * machine that cannot have the others. Where `CI` is set nothing may be left out.
 *
 * @throws Error for a name that is no browser's, and where `CI` is set and one is left out
 */
export function chosenBrowsers(environment: Record<string, string | undefined>): readonly string[] {
  const { GRAFT_BROWSERS: given, CI: ci } = environment;
  if (!given) return all;
  const chosen = given.split(',').map((name) => name.trim().toLowerCase());
  const unknown = chosen.filter((name) => !all.includes(name as never));
  if (unknown.length > 0) throw new Error(`GRAFT_BROWSERS: expected some of ${all}, got ${unknown}.`);
  const left = all.filter((name) => !chosen.includes(name));
  if (left.length > 0 && ci) throw new Error(`GRAFT_BROWSERS leaves out ${left}, and CI is set.`);
  return chosen;
}
