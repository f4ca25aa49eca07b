/**
 * Whether a method is not idempotent: repeated, it would act twice or lose the result of the first call. Such requests
 * are neither retried nor shared.
 */
export const mustNotRepeat = (method: string): boolean =>
  /^(eth_(send|submit|new|uninstall|getFilterChanges)|evm_|mnr_submit|personal_|sco_(un)?ban)/.test(method);
