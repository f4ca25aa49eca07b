import { type Content, h } from '../h.js';
import { errorLine, statusLine } from '../pieces/lines.js';
import type { PanelProperties } from './context.js';
import { useLoaded } from './hooks.js';

/** Loads a view when it is first shown, and starts it over on another network. */
export const later =
  <Properties extends PanelProperties>(load: () => Promise<(properties: Properties) => Content>) =>
  (properties: Properties): Content => {
    const { words, network } = properties.panel;
    const { value, failed } = useLoaded(async () => ({ View: await load() }), []);
    if (failed) return errorLine(words.notLoaded);
    return value ? <value.View {...properties} key={network.chainId} /> : statusLine(words.loading);
  };
