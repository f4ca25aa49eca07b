/** Done twice they act twice, or lose what the first answer held: never repeated here, never shared. */
export const changesState = (method: string): boolean =>
  /^(eth_(send|submit|new|uninstall|getFilterChanges)|evm_|mnr_submit|personal_|sco_(un)?ban)/.test(method);
