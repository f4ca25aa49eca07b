// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Unproven } from '../../../../src/approvals/owner.js';
import { startUnproven } from '../../../../src/ui/onboarding/unproven.js';
import { type FakeStage, fakeStage, stepOf } from '../../../support/fake-stage.js';
import { account, recipient, savings } from '../../../support/questions.js';

const found = (more: Partial<Unproven> = {}): Unproven => ({
  reason: 'vault-unproven',
  accounts: [account.address, savings.address],
  known: [savings.address, account.address],
  passkeys: [],
  losesPassword: false,
  ...more,
});

let stage: FakeStage;
beforeEach(() => {
  stage = fakeStage();
  vi.stubGlobal('PublicKeyCredential', class {});
  vi.stubGlobal('location', { hostname: 'app.example' });
});
afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const text = () => stage.content().textContent ?? '';
const unlock = () => vi.fn(async () => {});
const refusal = (data: Unproven) => Object.assign(new Error('developer text'), { code: -32002, data });

describe('a vault that cannot be checked', () => {
  test('shows its accounts beside those that are known here, and opens after they were agreed to', async () => {
    const open = unlock();
    startUnproven(stage, found(), open);
    expect(stage.title()).toBe('Are these your accounts?');
    expect(text()).toContain('These accounts would open');
    expect(text()).toContain('Accounts you had here');
    expect(text().match(/0x/g)).toHaveLength(4);
    expect(stage.content().querySelector('[data-severity=danger]')).toBeNull();
    expect(open).not.toHaveBeenCalled();
    expect(await stage.confirm()).toBeNull();
    expect(open).toHaveBeenCalledWith([account.address, savings.address]);
    expect(stage.ends).toMatchObject([
      ['done', [{ address: account.address }, { address: savings.address }]],
    ]);
  });

  test.each([
    ['more', { known: [account.address] }, 1],
    ['fewer', { known: [account.address, savings.address, recipient] }, 1],
    ['other', { known: [recipient] }, 3],
    ['none that were', { known: [] }, 2],
  ] as const)(
    'warns of %s accounts than known here, and marks each that is in one list only',
    (_, more, marked) => {
      startUnproven(stage, found(more), unlock());
      expect(stage.content().querySelector('[data-severity=danger] [role=alert]')?.textContent).toContain(
        'These aren’t the accounts you had here',
      );
      expect(text().match(/Only in this list/g)).toHaveLength(marked);
    },
  );

  test('says which passkeys will sleep, and that a password ends', () => {
    startUnproven(stage, found({ passkeys: ['Phone', 'Laptop'], losesPassword: true }), unlock());
    for (const part of ['Phone', 'Laptop', 'won’t open the wallet until', 'Your password will stop opening'])
      expect(text()).toContain(part);
  });

  test('going back opens nothing', () => {
    const open = unlock();
    startUnproven(stage, found(), open);
    stage.other();
    expect(stage.ends).toEqual([['cancelled']]);
    expect(open).not.toHaveBeenCalled();
  });

  test('another vault than the one that was agreed to is shown, and asked about again', async () => {
    const open = vi.fn(async (accepted: readonly string[]) => {
      if (accepted.length === 2) throw refusal(found({ accounts: [recipient] }));
    });
    startUnproven(stage, found(), open);
    expect(await stage.confirm()).toBeNull();
    expect(stage.ends).toEqual([]);
    expect(stage.content().querySelector('[data-severity=danger]')).not.toBeNull();
    expect(await stage.confirm()).toBeNull();
    expect(open.mock.calls.map(([accepted]) => accepted)).toEqual([
      [account.address, savings.address],
      [recipient],
    ]);
    expect(stage.ends).toHaveLength(1);
  });

  test('any other error is left to the stage', async () => {
    startUnproven(stage, found(), () => Promise.reject(Object.assign(new Error('wrong'), { code: 4100 })));
    expect(await stage.confirm()).toBe('wrong');
    expect(stage.ends).toEqual([]);
  });
});

describe('passkeys that are asleep', () => {
  const withAsleep = (...names: string[]) => {
    let asleep = names;
    Object.assign(stage.owner, {
      passkeys: async () => [
        { id: 'awake', name: 'Awake' },
        ...asleep.map((name) => ({ id: name, name, asleep: true })),
      ],
      wakePasskey: async (id: string) => {
        if (id === 'Elsewhere') throw Object.assign(new Error('cancelled'), { code: 4001 });
        asleep = asleep.filter((name) => name !== id);
      },
    });
  };

  test('are offered at once, one after the other', async () => {
    withAsleep('Phone', 'Laptop');
    startUnproven(stage, found({ passkeys: ['Phone', 'Laptop'] }), unlock());
    await stage.confirm();
    await stepOf(stage, 'Keep your passkeys');
    expect(text()).not.toContain('Awake');
    expect(await stage.confirm()).toBeNull();
    expect(text()).toBe('Laptop');
    expect(await stage.confirm()).toBeNull();
    expect(stage.ends).toHaveLength(1);
  });

  test('one that is not on this device can be passed over for another', async () => {
    withAsleep('Elsewhere', 'Phone');
    startUnproven(stage, found(), unlock());
    await stage.confirm();
    expect(await stage.confirm()).toContain('“Elsewhere” wasn’t used');
    for (const radio of stage.content().querySelectorAll('input')) radio.checked = radio.value === 'Phone';
    expect(await stage.confirm()).toBeNull();
    expect(text()).toBe('Elsewhere');
    stage.other();
    expect(stage.ends).toHaveLength(1);
  });

  test('are not offered where the browser has none', async () => {
    vi.stubGlobal('PublicKeyCredential', undefined);
    withAsleep('Phone');
    startUnproven(stage, found(), unlock());
    await stage.confirm();
    expect(stage.ends).toHaveLength(1);
  });
});
