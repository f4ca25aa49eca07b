import { listedTokens } from '../rpc/known-contracts.js';
import { own } from '../rpc/own.js';
import type { Address } from '../rpc/schema.js';

/**
 * Text as it looks: two with the same likeness can be taken for each other (Unicode Technical Standard 39, "Confusable
 * Detection", for the letters of names that the wallet knows).
 */

/**
 * Each Latin letter with the characters that pass for it: of other alphabets, signs, and Latin letters with a hook, a stroke or a
 * bar, which do not decompose (Unicode's `confusables.txt` takes the same way). Letters beside each other in a row pass for the
 * first one.
 */
const rows =
  'aаɑαⲁ@ꓮᎪᴀ4ⱥᶏ b8вβВʙᏼꓐ฿₿ƀьɓßᗷ𐌁ƃᵬᶀꞗᴃⲃ cсςᴄᏟꓚ¢ᑕ⊂©ƈȼɕꞓꞔⲥↄ dԁᎠꓓᴅđɗƌȡɖᵭᶁᶑꟈ eеεєᴇᎬꓰ€3ɇᶒⱸꬴⲉ fғꓝƒϝᵮᶂꜰꞙ ' +
  'gɡԍցɢᏀꓖɠǥʛᶃꞡ hнһհʜᎻꓧħɦⱨꞕⲏ iіιıɪᎥꓲl1|!Ӏłƚլɨȴɫɬɭᶅᶖⱡꝉꞎꬷꬸꬹɩᵻⲓ lᏞꓡʟᴌ jјϳᴊᎫꓙյɉʝȷ kкκᴋᏦꓗƙᶄⱪꝁꝃꝅꞣĸⲕ ' +
  'mмᴍᎷꓟɱᵯᶆꬺⲙ nηոɴꓠⲛпИɲƞȵɳᵰᶇꞑꞥꬻ oоοօ0ᴏꓳσסøⲟஓ०θѳɵოꬽᗝᄋᅌ〇○◯◎◉●⊙⚪⭕🞅🞆ǿⱺꝋꝍ pрρᴘᏢꓑⲣƥᵱᵽᶈꝑꝓꝕ qԛǫգɋʠꝗꝙꞯ ' +
  'rгʀᎡꓣɾᖇяɍɼɽᵲᵳᶉꞧꭆꭉ sѕꜱᏚꓢ$5ꚃȿʂᵴᶊꞩꟊ tтτᴛᎢꓔŧ₮†ꞇ┬丅⊤ƫƭʈȶⱦᵵⲧ uυᴜսꓴʋцᶙꞹꭎꭒ vνѵᴠᏙꓦᶌⱱⱴꝟ wѡᴡᏔꓪա₩ɯⱳ ' +
  'xхχꓫ×ᶍꭖꭗꭘꭙⲭ yуүʏγꓬᎩ¥ƴɏỿꭚⲩ zᴢᏃꓜƶȥɀʐʑᵶᶎⱬⲍ';

const lookAlikes: Readonly<Record<string, string>> = own(
  Object.fromEntries(
    rows.split(' ').flatMap(([letter = '', ...others]) =>
      others.flatMap((each) => [
        [each, letter],
        [each.toLowerCase(), letter],
      ]),
    ),
  ),
);

/** Capital letters that look different from their lower case, or whose lower case looks like another letter. */
const capitals: Readonly<Record<string, string>> = own({ L: 'l', Η: 'h', Ν: 'n', Υ: 'y', Ζ: 'z', Χ: 'x' });

/** First letters of three alphabets in boxes and circles, which no normalisation resolves. */
const boxed = [0x1f150, 0x1f170, 0x1f1e6] as const;

/** The text as it looks, in lower-case letters and digits. */
export function likeness(text: string): string {
  const letters = text.normalize('NFKD').replace(/[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '');
  return [...letters]
    .map((each) => {
      const lower = each.toLowerCase();
      return capitals[each] ?? lookAlikes[each] ?? lookAlikes[lower] ?? boxedLetter(each) ?? lower;
    })
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

function boxedLetter(character: string): string | undefined {
  const code = character.codePointAt(0) as number;
  const first = boxed.find((start) => code >= start && code < start + 26);
  return first === undefined ? undefined : String.fromCharCode(97 + code - first);
}

/** Whether at most two letters of one text must be added, left out or changed to make the other one. */
export function isNearlySame(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > maxDistance) return false;
  let above = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const line = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (above[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      line.push(Math.min(change, (above[j] as number) + 1, (line[j - 1] as number) + 1));
    }
    above = line;
  }
  return (above[other.length] as number) <= maxDistance;
}

const maxDistance = 2;

/** Whether Latin letters and those of another script stand in one word, or letters that only look Latin. */
export const hasForeignLetters = (text: string): boolean =>
  text
    .normalize('NFKD')
    .split(/[\p{Z}\s]+/u)
    .some((word) => /[a-z]/i.test(word) && /(?!\p{Script=Latin})\p{L}/u.test(word)) ||
  /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/u.test(text);

/**
 * The symbol that a token at this address only imitates: that of a known token, or of the chain's own coin. `null` if
 * its symbol is its own.
 *
 * @param coin symbol of the chain's currency
 */
export function imitatedSymbol(
  chainId: number,
  address: Address,
  symbol: string,
  coin: string,
): string | null {
  const tokens = listedTokens(chainId);
  if (tokens.some((token) => token.address === address.toLowerCase())) return null;
  const looks = likeness(symbol);
  // On the test network RBTC is not the coin's symbol, and means it all the same.
  const symbols = [coin, coin.replace(/^t(?=RBTC$)/, ''), ...tokens.map((token) => token.symbol)];
  return symbols.find((each) => likeness(each) === looks) ?? null;
}
