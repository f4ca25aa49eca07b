// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRecovery } from '../../../../src/ui/onboarding/recovery.js';
import { type FakeStage, fakeStage } from '../../../support/fake-stage.js';

let stage: FakeStage;
beforeEach(() => {
  stage = fakeStage();
  startRecovery(stage);
});
afterEach(() => document.body.replaceChildren());

test('a forgotten password leads to the backup', async () => {
  expect(stage.title()).toBe('Forgot your password?');
  expect(await stage.confirm()).toBeNull();
  expect(stage.title()).toBe('What do you have?');
  stage.other();
  expect(stage.title()).toBe('Forgot your password?');
  stage.other();
  expect(stage.ends).toEqual([['cancelled']]);
});

test('a forgotten password leads to erasing, after a typed word', async () => {
  stage.press('Erase this wallet');
  expect(stage.title()).toBe('Erase the wallet?');
  stage.type('typed', 'yes');
  expect(await stage.confirm()).toBe('Type “erase” to continue');
  expect(stage.owner.calls).toEqual([]);
  stage.type('typed', 'ERASE');
  expect(await stage.confirm()).toBeNull();
  expect(stage.owner.calls).toEqual([['erase']]);
  expect(stage.ends).toEqual([['erased']]);
});

test('a wallet that could not be erased is still there', async () => {
  stage.press('Erase this wallet');
  stage.type('typed', 'erase');
  stage.owner.fail('erase', -32002);
  expect(await stage.confirm()).not.toBeNull();
  expect(stage.ends).toEqual([]);
  stage.other();
  expect(stage.title()).toBe('Forgot your password?');
});
