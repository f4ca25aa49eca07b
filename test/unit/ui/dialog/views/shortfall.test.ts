// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { CallsQuestion, TransactionQuestion } from '../../../../../src/approvals/question.js';
import { checksumAddress } from '../../../../../src/rpc/address.js';
import { toQuantity } from '../../../../../src/rpc/hex.js';
import { createFrame } from '../../../../../src/ui/dialog/frame.js';
import { type Language, loadDialogWords } from '../../../../../src/ui/words/words.js';
import { account, payment, tokenTransfer } from '../../../../support/questions.js';
import { viewOf } from '../../../../support/render.js';

const balance = 10n ** 17n;
const shortfall = toQuantity(BigInt(payment.total) - balance);
const lacking = {
  balance: toQuantity(balance),
  shortfall,
  warnings: [{ code: 'insufficient-funds', severity: 'danger' }],
} as const;
const one: TransactionQuestion = { ...payment, ...lacking };
const { id, origin, network, locked, fee, total } = payment;
const several: CallsQuestion = {
  ...{ id, origin, network, locked, account, fee, total },
  kind: 'calls',
  calls: [payment, tokenTransfer],
  ...lacking,
};

/** By language: what it needs, what there is, what is missing, and what to do. */
const texts: Readonly<Record<Language, { receive: string; close: string; lead: string }>> = {
  en: {
    receive: 'Receive',
    close: 'Close',
    lead: 'This needs 0.25000137 tRBTC, but the account has 0.1 tRBTC. You’re 0.15000137 tRBTC short: receive some first, or send less.',
  },
  es: {
    receive: 'Recibir',
    close: 'Cerrar',
    lead: 'Esto necesita 0,25000137 tRBTC, pero la cuenta tiene 0,1 tRBTC. Te faltan 0,15000137 tRBTC: recibe antes algo más, o envía menos.',
  },
  pt: {
    receive: 'Receber',
    close: 'Fechar',
    lead: 'Isto precisa de 0,25000137 tRBTC, mas a conta tem 0,1 tRBTC. Faltam 0,15000137 tRBTC: receba mais antes, ou envie menos.',
  },
};

describe.each(Object.entries(texts))('too little for it, in %s', (language, { receive, close, lead }) => {
  test.each([
    ['a payment', one],
    ['several calls', several],
  ])('%s: it can be closed and leads to the address, and says what is lacking', async (_, question) => {
    const words = await loadDialogWords(language as Language);
    // Locked as well: nothing is signed, so no password is asked for.
    const view = viewOf({ ...question, locked: true }, words);
    const settings = { unlockBy: null, onFlow() {} };
    const { dialog } = createFrame(
      { ...question, locked: true },
      view,
      words,
      document.createElement('dialog'),
      settings,
    );
    expect(Array.from(dialog.querySelectorAll('button'), ({ textContent }) => textContent)).toEqual([
      receive,
      close,
    ]);
    expect(dialog.querySelectorAll('input')).toHaveLength(0);
    expect(dialog.querySelector('.lead')?.textContent).toBe(lead);
    const received = [...dialog.querySelectorAll('.blocks > div')].find(
      (block) => block.querySelector('dt')?.textContent === words.receiveAt,
    );
    expect(received?.querySelector('.address')?.textContent).toBe(
      checksumAddress(account.address, network.chainId),
    );
    expect(view.answer?.()).toEqual({ approved: false });
    expect(dialog.getAttribute('aria-describedby')).toContain(dialog.querySelector('.lead')?.id);
  });
});
