import { type Content, h } from '../h.js';
import { errorLine, statusLine } from '../pieces/lines.js';
import type { PanelProperties } from './context.js';
import { useLoaded } from './hooks.js';

type View<Properties> = (properties: Properties) => Content;

/** Loads a view when it is first shown. */
export function later<Properties extends PanelProperties>(
  load: () => Promise<View<Properties>>,
): View<Properties> {
  let loaded: View<Properties> | undefined;
  return (properties) => {
    const { words } = properties.panel;
    const { failed } = useLoaded(async () => (loaded ??= await load()), []);
    if (loaded) {
      const Loaded = loaded;
      return <Loaded {...properties} />;
    }
    return failed ? errorLine(words.notLoaded) : statusLine(words.loading);
  };
}

/** The same for a view that starts over on another network. */
export function perNetwork<Properties extends PanelProperties>(
  load: () => Promise<View<Properties>>,
): View<Properties> {
  const View = later(load);
  return (properties) => <View {...properties} key={properties.panel.network.chainId} />;
}
