// @vitest-environment happy-dom
import { type ComponentChild, render } from 'preact';
import { useState } from 'preact/hooks';
import { afterEach, describe, expect, test } from 'vitest';
import { h } from '../../../../src/ui/h.js';
import type { Panel, PanelProperties } from '../../../../src/ui/panel/context.js';
import { later, perNetwork } from '../../../../src/ui/panel/later.js';
import { english } from '../../../support/english.js';
import { waitFor } from '../../../support/wait-for.js';

const root = document.createElement('section');
const on = (chainId: number): PanelProperties => {
  const panel: Partial<Panel> = { words: english, network: { chainId } as Panel['network'] };
  return { panel: panel as Panel };
};
const show = (View: ReturnType<typeof later>, properties = on(31)) =>
  render(h(View as never, properties as never) as ComponentChild, root);

afterEach(() => {
  render(null, root);
});

describe('a view that loads when it is shown', () => {
  test('is drawn once it is there, and at once when it is shown again', async () => {
    let loads = 0;
    const View = later(async () => {
      loads++;
      return () => 'Sites';
    });
    show(View);
    expect(root.textContent).toBe(english.loading);
    await waitFor(() => expect(root.textContent).toBe('Sites'));
    render(null, root);
    show(View);
    expect(root.textContent).toBe('Sites');
    await Promise.resolve();
    expect(loads).toBe(1);
  });

  test('says that it did not load, and tries again when it is shown again', async () => {
    const results = [() => Promise.reject(new TypeError('Failed to fetch')), async () => () => 'Sites'];
    const View = later(() => (results.shift() as () => Promise<() => string>)());
    show(View);
    await waitFor(() => expect(root.textContent).toBe(english.notLoaded));
    render(null, root);
    show(View);
    await waitFor(() => expect(root.textContent).toBe('Sites'));
  });

  test.each([
    ['starts over on another network, if it is about one', perNetwork, 'Network 30, opened 2 times'],
    ['goes on with what it has on another network, if it is about all', later, 'Network 30, opened 1 times'],
  ] as const)('%s', async (_, make, text) => {
    let opened = 0;
    const View = make(async () => ({ panel }: PanelProperties) => {
      useState(() => opened++);
      return `Network ${panel.network.chainId}, opened ${opened} times`;
    });
    show(View);
    await waitFor(() => expect(root.textContent).toBe('Network 31, opened 1 times'));
    show(View, on(30));
    await waitFor(() => expect(root.textContent).toBe(text));
  });
});
