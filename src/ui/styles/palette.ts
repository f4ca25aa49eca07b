/**
 * The colours of the dialog by purpose, written into each rule.
 *
 * Custom properties would be open to the page, which can register them for all trees (`@property`). `light-dark()` is
 * not supported by browsers of 2023.
 */
export type Palette = Readonly<typeof light>;

export const light = {
  scheme: 'light',
  ground: '#fff',
  sunken: '#f5f6f7',
  line: '#e4e6ea',
  edge: 'transparent',
  ink: '#14161a',
  soft: '#5b616b',
  strong: '#14161a',
  strongHover: '#2b2f36',
  onStrong: '#fff',
  focus: '#2160e8',
  focusRing: 'rgb(33 96 232 / .25)',
  fieldLine: '#c9cdd4',
  button: '#eceef1',
  buttonHover: '#e2e5e9',
  waiting: '#8d929b',
  onWaiting: '#fff',
  severe: '#b3231b',
  onSevere: '#fff',
  severeWaiting: '#c0837f',
  danger: '#b3231b',
  dangerGround: '#fdefee',
  caution: '#7d5200',
  cautionGround: '#fff6e0',
  good: '#0d6b48',
  live: '#12855a',
  trial: '#b97900',
};

export const dark: Palette = {
  scheme: 'dark',
  ground: '#16181c',
  sunken: '#1f2227',
  line: '#30343b',
  edge: '#30343b',
  ink: '#f2f4f7',
  soft: '#a4abb6',
  strong: '#f2f4f7',
  strongHover: '#fff',
  onStrong: '#14161a',
  focus: '#84aefc',
  focusRing: 'rgb(132 174 252 / .25)',
  fieldLine: '#444a54',
  button: '#2a2e35',
  buttonHover: '#343941',
  waiting: '#6d737d',
  onWaiting: '#14161a',
  severe: '#e5655b',
  onSevere: '#1d0806',
  severeWaiting: '#8c5a56',
  danger: '#ff9b92',
  dangerGround: '#38201f',
  caution: '#f0c368',
  cautionGround: '#322a19',
  good: '#3ecf8e',
  live: '#3ecf8e',
  trial: '#f0c368',
};
