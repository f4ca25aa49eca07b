/** What a page does to a frame in it so that a person sees something else than the wallet's dialog. */
export interface Cover {
  /** A style sheet of the page. */
  readonly css?: string;
  /** Markup at the end of the page's body. */
  readonly html?: string;
  /** Runs in the page afterwards. */
  readonly run?: () => unknown;
}

const over = 'position: absolute; left: 0; top: 0; width: 700px; height: 700px; pointer-events: none;';
const half = 'linear-gradient(transparent 60%, #000 60%)';
const hole =
  'polygon(evenodd, 0 0, 100% 0, 100% 100%, 0 100%, 0 0, 25% 25%, 75% 25%, 75% 60%, 25% 60%, 25% 25%)';
const ring = 'M0 0H700V700H0ZM160 160H540V420H160Z';

const styled = (...entries: readonly (readonly [string, string])[]): readonly [string, Cover][] =>
  entries.map(([name, css]) => [name, { css }]);
const element = (name: string, style: string, content = ''): readonly [string, Cover] => [
  name,
  { html: `<div class="cover" style="${over} ${style}">${content}</div>` },
];

/** The frame is in `#inner`, which is in `#outer`. */
export const covers: ReadonlyMap<string, Cover> = new Map<string, Cover>([
  ...styled(
    ['mask: none of the frame', 'iframe { mask-image: linear-gradient(transparent, transparent) }'],
    ['mask: alpha .02', 'iframe { mask-image: linear-gradient(rgb(0 0 0 / .02), rgb(0 0 0 / .02)) }'],
    ['mask: the lower part', `iframe { mask-image: ${half} }`],
    [
      'mask: a spot',
      'iframe { mask-image: radial-gradient(circle at 60% 80%, #000 90px, transparent 91px) }',
    ],
    [
      'mask: stripes',
      'iframe { mask-image: repeating-linear-gradient(90deg, #000 0 20px, transparent 20px 40px) }',
    ],
    ['mask: a cone', 'iframe { mask-image: conic-gradient(transparent 50%, #000 50%) }'],
    [
      'mask: two layers that exclude each other',
      `iframe { mask: linear-gradient(#000 0 0) exclude, ${half} }`,
    ],
    ['mask: by luminance', 'iframe { mask: linear-gradient(#000 60%, #fff 60%) luminance }'],
    ['mask: small and repeated', 'iframe { mask: linear-gradient(#000 0 0) 0 0 / 20px 20px space }'],
    ['mask: an SVG mask', 'iframe { mask: url(#mask) }'],
    ['mask: -webkit-mask-box-image', `iframe { -webkit-mask-box-image: ${half} }`],
    [
      'mask: an image',
      `iframe { mask-image: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='700' height='700'%3E%3Ccircle cx='350' cy='500' r='90'/%3E%3C/svg%3E") }`,
    ],
    ['mask: on its parent', `#inner { mask-image: ${half} }`],
    ['mask: on an ancestor', `#outer { mask-image: ${half} }`],
    ['mask: on the body', `body { mask-image: ${half} }`],
    ['mask: on the root', `html { mask-image: ${half} }`],
    [
      'mask: paused in an animation',
      `@keyframes hide { to { mask-image: ${half} } } iframe { animation: hide 1s -1s paused both }`,
    ],
    ['clip: a polygon', 'iframe { clip-path: polygon(0 0, 100% 0, 0 100%) }'],
    ['clip: a polygon with a hole', `iframe { clip-path: ${hole} }`],
    ['clip: a path with a hole', `iframe { clip-path: path(evenodd, '${ring}') }`],
    ['clip: a circle', 'iframe { clip-path: circle(200px at 50% 50%) }'],
    ['clip: an ellipse', 'iframe { clip-path: ellipse(60% 30% at 50% 50%) }'],
    ['clip: a rectangle', 'iframe { clip-path: inset(300px 100px 60px 100px) }'],
    ['clip: a rounded rectangle', 'iframe { clip-path: inset(0 round 350px) }'],
    ['clip: an SVG clip path', 'iframe { clip-path: url(#clip) }'],
    ['clip: a polygon with a hole on its parent', `#inner { clip-path: ${hole} }`],
    ['clip: a polygon with a hole on the body', `body { clip-path: ${hole} }`],
    ['clip: the old property', 'iframe { position: absolute; clip: rect(300px, 600px, 700px, 100px) }'],
    ['clip: overflow', '#inner { height: 400px; overflow: hidden }'],
    ['clip: overflow with a margin', '#inner { height: 400px; overflow: clip; overflow-clip-margin: 10px }'],
    ['clip: round corners of the frame', 'iframe { border-radius: 50% }'],
    ['clip: round corners of its parent', '#inner { border-radius: 50%; overflow: hidden }'],
    ['clip: contain', '#inner { height: 400px; contain: paint }'],
    ['blend: difference', 'iframe { mix-blend-mode: difference }'],
    ['blend: multiply on an ancestor', 'body { background: #000 } #outer { mix-blend-mode: multiply }'],
    ['blend: luminosity on its parent', '#inner { mix-blend-mode: luminosity } #outer { background: #222 }'],
    ['filter: blur', 'iframe { filter: blur(9px) }'],
    ['filter: opacity', 'iframe { filter: opacity(.02) }'],
    ['filter: brightness on an ancestor', '#outer { filter: brightness(0) }'],
    ['filter: contrast on the root', 'html { filter: contrast(0) }'],
    ['filter: an SVG filter', 'iframe { filter: url(#flood) }'],
    ['opacity: of the frame', 'iframe { opacity: .01 }'],
    ['opacity: of an ancestor', '#outer { opacity: .5 }'],
    ['opacity: of the root', 'html { opacity: 0 }'],
    ['visibility: hidden', 'iframe { visibility: hidden }'],
    ['content-visibility: hidden', '#inner { content-visibility: hidden; height: 700px }'],
    ['transform: shrunk', 'iframe { transform: scale(.2) }'],
    ['transform: turned', 'iframe { transform: rotate(180deg) }'],
    ['transform: mirrored', 'iframe { scale: -1 1 }'],
    ['transform: skewed', 'iframe { transform: skewX(30deg) }'],
    ['transform: moved away', 'iframe { translate: 300px }'],
    ['transform: turned in space', '#inner { perspective: 400px } iframe { transform: rotateY(80deg) }'],
    ['transform: near the eye', '#inner { perspective: 400px } iframe { transform: translateZ(200px) }'],
    ['transform: along a path', "iframe { offset: path('M350 350 L360 400') 50% 45deg }"],
    ['transform: its back is hidden', 'iframe { transform: rotateY(180deg); backface-visibility: hidden }'],
    ['zoom: shrunk', '#inner { zoom: .4 }'],
    [
      'scrolled: only its lower part',
      '#inner { height: 300px; overflow: auto; scrollbar-width: none } iframe { margin-top: -300px }',
    ],
    [
      'pseudo-element: after its parent',
      `#inner { position: relative } #inner::after { content: ''; ${over} background: red }`,
    ],
    [
      'paint order: behind its parent',
      '#outer { position: relative; z-index: 0; background: none } #inner { background: red; height: 700px } iframe { position: relative; z-index: -1 }',
    ],
    [
      'scroll bar: as wide as the page',
      '#inner { height: 700px; overflow-y: scroll } #inner::-webkit-scrollbar { width: 500px; background: red } iframe { margin-right: -600px }',
    ],
  ),
  element('element: opaque', 'background: red'),
  element('element: half transparent', 'background: rgb(255 0 0 / .5)'),
  element('element: hardly visible', 'background: red; opacity: .05'),
  element('element: with a hole for the button', `background: red; clip-path: ${hole}`),
  element('element: that blends', 'background: #f0f; mix-blend-mode: difference'),
  element('element: blurs what is behind it', 'backdrop-filter: blur(8px)'),
  element('element: inverts what is behind it', 'backdrop-filter: invert(1)'),
  element('element: masked', `background: red; mask-image: ${half}`),
  element(
    'element: an SVG drawing',
    '',
    '<svg width="700" height="700"><rect width="700" height="420" fill="red"/></svg>',
  ),
  element('element: letters', 'font: 200px sans-serif; color: red; line-height: 1', 'CLAIM CLAIM'),
  element(
    'ink: the shadow of a box beside',
    'left: 0; top: -10px; height: 1px; box-shadow: 0 250px 0 200px red',
  ),
  element(
    'ink: the shadow of letters beside',
    'top: -300px; height: 200px; font: 200px/1 sans-serif; text-shadow: 100px 500px 0 red',
    'CLAIM',
  ),
  element(
    'ink: the drop shadow of a box beside',
    'top: -400px; height: 300px; background: red; filter: drop-shadow(0 600px 0 red)',
  ),
  element('ink: an outline', 'top: -10px; height: 1px; outline: 500px solid red'),
  element(
    'ink: a border image',
    'top: -10px; height: 1px; border: 1px solid; border-image: linear-gradient(red, red) 1 / 1px / 500px',
  ),
  element(
    'ink: a reflection',
    'top: -500px; height: 450px; background: red; -webkit-box-reflect: below 100px',
  ),
  element(
    'ink: letters larger than their line',
    'top: 0; height: 0; font: 500px/0 sans-serif; color: red',
    '█',
  ),
  element(
    'ink: a thick underline',
    'top: -40px; height: 20px; font: 16px/1 sans-serif; color: red; text-decoration: underline 400px; text-underline-offset: 200px',
    'mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm',
  ),
  element(
    'ink: content that overflows',
    'height: 0; overflow: visible',
    '<div style="height: 400px; background: red"></div>',
  ),
  [
    'iframe: another frame above',
    {
      html: `<iframe class="cover" style="${over} border: 0" srcdoc="<body style='background:red'>"></iframe>`,
    },
  ],
  [
    'canvas: above',
    { html: `<canvas class="cover" width="700" height="400" style="${over} background: red"></canvas>` },
  ],
  [
    'image: above',
    {
      html: `<img class="cover" alt="" style="${over}" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='700' height='700'%3E%3Crect width='700' height='420' fill='red'/%3E%3C/svg%3E">`,
    },
  ],
  [
    'top layer: a popover',
    {
      html: `<div class="cover" popover="manual" style="${over} border: 0; background: red">You have won</div>`,
      run: () => document.querySelector<HTMLElement>('.cover')?.showPopover(),
    },
  ],
  [
    'top layer: a backdrop',
    {
      css: '.cover { width: 1px; height: 1px; opacity: 0 } .cover::backdrop { background: rgb(255 0 0 / .6); pointer-events: none }',
      html: '<div class="cover" popover="manual"></div>',
      run: () => document.querySelector<HTMLElement>('.cover')?.showPopover(),
    },
  ],
  [
    'top layer: a modal dialog',
    {
      html: `<dialog class="cover" style="${over} border: 0; background: red">You have won</dialog>`,
      run: () => document.querySelector<HTMLDialogElement>('dialog.cover')?.showModal(),
    },
  ],
  [
    'view transition: the picture of before',
    {
      css: `::view-transition { pointer-events: none; background: red } ::view-transition-old(root), ::view-transition-new(root) { animation: none; opacity: 0 }
        ::view-transition-group(root) { animation: hold 60s paused } @keyframes hold { to { opacity: 1 } }`,
      run: () => document.startViewTransition(() => {}).ready,
    },
  ],
  [
    'view transition: a picture of another element',
    {
      css: `::view-transition-old(root), ::view-transition-new(root) { animation: none; opacity: 0 }
        ::view-transition-group(*) { animation: hold 60s paused } @keyframes hold { to { opacity: 1 } }
        .cover { view-transition-name: claim }`,
      html: `<div class="cover" style="${over} top: 720px; background: red">You have won</div>`,
      run: () => document.startViewTransition(() => {}).ready,
    },
  ],
]);
