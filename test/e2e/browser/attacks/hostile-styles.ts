import { lyingFont } from '../../../support/font.js';

/** Every name that a person's system could know fonts by, quoted and not; the last six are CSS's own. */
const families = [
  ...['SF Mono', 'Cascadia Mono', 'Roboto Mono', 'Menlo', 'Consolas', 'DejaVu Sans Mono', 'Segoe UI'],
  ...['Roboto', 'Helvetica Neue', 'Arial', 'Open Sans', 'DejaVu Sans', '-apple-system', 'BlinkMacSystemFont'],
  ...['ui-monospace', 'ui-sans-serif', 'system-ui', 'sans-serif', 'monospace', 'math'],
];
const font = `src: url(data:font/ttf;base64,${lyingFont().toString('base64')})`;
const faces = families.flatMap((name) => [
  `@font-face { font-family: "${name}"; ${font} }`,
  ...(/ /.test(name) ? [] : [`@font-face { font-family: ${name}; ${font} }`]),
]);

const names = [
  'ground',
  'sunken',
  'line',
  'ink',
  'soft',
  'strong',
  'on-strong',
  'focus',
  'danger',
  'caution',
];
const registered = [...names, 'mono', 'danger-ground', 'caution-ground'].flatMap((name) =>
  ['color', 'length', '*'].map((type) => {
    const initial = { color: 'transparent', length: '0px', '*': 'x' }[type];
    return `@property --${name} { syntax: "${type === '*' ? type : `<${type}>`}"; inherits: false; initial-value: ${initial} }`;
  }),
);

/** What a style sheet of a hostile page tries against the dialog, by its name: none may change a pixel of it. */
export const hostileStyles: readonly (readonly [name: string, css: string])[] = [
  ['fonts by every usual name, with other digits', `${faces.join('')} h1 { font-family: "SF Mono" }`],
  ['custom properties registered for all trees', registered.join('')],
  ['the zoom of the root', 'html { zoom: .1 }'],
  ['the zoom of the body, to the other side', 'body { zoom: 3 }'],
  ['both zooms', 'html { zoom: .5 } body { zoom: .2 }'],
  ['opacity', 'html, body { opacity: .01 }'],
  ['a filter', 'html { filter: opacity(.01) } body { filter: invert(1) blur(9px) }'],
  ['a transform', 'html { transform: scale(.1) } body { transform: translate(-999px) rotate(90deg) }'],
  ['visibility', 'html, body { visibility: hidden }'],
  ['clipping and masking', 'html { clip-path: circle(0) } body { mask: linear-gradient(#0000, #0000) }'],
  ['blending', 'html { mix-blend-mode: difference; isolation: isolate }'],
  ['containment', 'html { container-type: size } body { contain: strict; content-visibility: auto }'],
  ['perspective', 'html, body { will-change: transform; perspective: 9px; transform-style: preserve-3d }'],
  ['the font size of the root', ':root { font-size: 1px; -webkit-text-size-adjust: 900% }'],
  [
    'the backdrop and dialogs',
    '::backdrop { display: none } dialog { all: unset !important; display: none !important }',
  ],
  [
    'the host element',
    '[data-graft], [data-graft] * { all: unset !important; display: none !important; opacity: 0 !important }',
  ],
  [
    'everything',
    '*, ::before, ::after { opacity: .01 !important; font-size: 1px !important; scale: .1 !important; inset: auto !important }',
  ],
  ['all properties', '* { all: unset !important }'],
  [
    'layers and scopes',
    '@layer a { * { opacity: 0 !important } } @scope (html) { div { opacity: 0 !important } }',
  ],
  [
    'animations by our own names',
    '@keyframes arrive { to { opacity: 0 } } @keyframes appear { to { opacity: 0 } } [data-graft] { animation: arrive 1s infinite !important }',
  ],
  [
    'transitions',
    '[data-graft] { transition: all 9s !important; opacity: 0 } @starting-style { [data-graft] { opacity: 0 } }',
  ],
  [
    'writing',
    'html { writing-mode: vertical-rl } * { direction: rtl !important; unicode-bidi: bidi-override !important }',
  ],
  [
    'text',
    'html { -webkit-text-security: disc; -webkit-text-fill-color: #0000; letter-spacing: 9px; line-height: 0; text-indent: -99px; text-transform: uppercase; quotes: none }',
  ],
  ['colour schemes', 'html { color-scheme: dark; forced-color-adjust: none; accent-color: red }'],
  ['interaction', 'html { pointer-events: none; user-select: none; interactivity: inert; overflow: hidden }'],
  ['display: contents', 'html, body { display: contents }'],
];
