import fc from 'fast-check';

/**
 * fast-check with one seed for all property tests that name none, so that a run fails for what has changed. A soak takes
 * another: `FC_SEED=7 npx vitest run …`.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });

export { fc };
