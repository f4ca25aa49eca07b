/**
 * Whether a password is one of those that are tried first: a word of the lists of leaked passwords, also with digits, signs or
 * digits for letters (`P@ssw0rd1!`), a row of keys or letters, something repeated, digits alone, or digits in order with at most
 * three letters (`aa123456`). Such a password does not protect a stolen vault, whatever the cost of a try.
 *
 * @param password of 8 characters and more, in the normal form NFKC
 */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  const dense = text.replace(/\s/g, '');
  if (/^\d{1,11}$/.test(dense) || /^(.{1,8})\1+.?$/su.test(dense)) return true;
  if (dense.replace(/[^\p{L}]/gu, '').length <= 3 && isCount(dense.replace(/\D/g, ''))) return true;
  const word = dense.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const isMostOfIt = word.length >= dense.length - 6;
  if (isMostOfIt && [word, lettersOf(word), lettersOf(dense)].some((each) => words.has(each))) return true;
  return runs.some((run) => isIn(run, dense) || (isMostOfIt && word.length > 3 && isIn(run, word)));
}

/** Whether digits are in order, up or down, or one digit again and again. */
const isCount = (digits: string): boolean =>
  digits.length > 4 &&
  (/^(\d)\1+$/.test(digits) ||
    ['12345678901234567890', '09876543210987654321'].some((run) => isIn(run, digits)));

const isIn = (run: string, text: string): boolean => run.includes(text);

/** Letters for the digits and signs that people write in their place. */
const lettersOf = (text: string): string =>
  text.replace(/[@$0134578!]/g, (sign) => replaced[sign as keyof typeof replaced]);
const replaced = {
  '@': 'a',
  $: 's',
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  8: 'b',
  '!': 'i',
} as const;

const rows = [
  '1234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'abcdefghijklmnopqrstuvwxyz',
  'qazwsxedcrfv',
];
const backwards = (text: string): string => [...text].reverse().join('');
const columns = [
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb',
  'q1w2e3r4t5y6',
  'a1b2c3d4e5f6',
  '1a2b3c4d5e6f',
];
/** Rows of keys, alone and one after another, and both ways. */
const forward = [...rows, rows.slice(0, 4).join(''), rows.slice(1, 4).join(''), ...columns];
const runs = [...forward, ...forward.map(backwards), 'qwertyqwerty', 'qweasdzxc', 'zaq12wsx', 'qwerasdfzxcv'];

/** From public lists of leaked passwords, and the words that people take for a wallet. */
const words: ReadonlySet<string> = new Set(
  `password passwort motdepasse contraseña contrasena senha senhas parola wachtwoord passphrase passcode mypassword
   thepassword pass mudar qwerty qwert azerty qwertz asdf zxcv abc abcd abcdef iloveyou iloveu teamo teamomucho tequiero loveyou
   welcome bienvenido bemvindo admin administrator root user guest default changeme letmein login access master secret
   hello whatever trustno nothing computer internet samsung google facebook football baseball basketball soccer futbol
   superman batman spiderman pokemon starwars minecraft princess sunshine dragon monkey shadow michael michelle jennifer jessica jordan
   charlie andrea alejandro flamengo barcelona realmadrid liverpool chelsea arsenal brasil mexico india cheese chocolate butterfly mariposa flower estrella
   summer winter spring autumn freedom blessed jesus jesuschrist mustang ferrari mercedes test testing testtest wallet
   mywallet bitcoin ethereum rootstock crypto cryptocurrency metamask satoshi graft rbtc blockchain money`.split(
    /\s+/,
  ),
);
