import { useEffect, useState } from 'preact/hooks';
import { type Content, drawing, h } from '../h.js';

/** The QR code of a text. Until its encoder has loaded, and where that fails, the figure is empty. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): Content {
  const [code, setCode] = useState<Drawn>();
  useEffect(() => {
    let isCurrent = true;
    // Without a picture the text can still be copied.
    encode(text).then(
      (found) => isCurrent && setCode(found),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return (
    <figure class="code" role="img" aria-label={label}>
      {code &&
        drawing('qr', code.size, [
          { d: `M0 0h${code.size}v${code.size}H0z`, fill: '#fff' },
          { d: code.path, fill: '#000' },
        ])}
    </figure>
  );
}

/** One path on a square, with its quiet margin. */
interface Drawn {
  readonly path: string;
  readonly size: number;
}

async function encode(text: string): Promise<Drawn> {
  const uqr = await import('uqr');
  const { data, size } = uqr.encode(text, { ecc: 'M', border: 3 });
  let path = '';
  for (const [y, row] of data.entries())
    for (const [x, isDark] of row.entries()) if (isDark) path += `M${x} ${y}h1v1h-1z`;
  return { path, size };
}
