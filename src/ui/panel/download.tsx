import { useEffect, useState } from 'preact/hooks';
import { type Content, Fragment, h } from '../h.js';
import { link } from '../pieces/fields.js';
import { errorLine } from '../pieces/lines.js';
import type { PanelWords } from '../words/words.js';
import { useTask } from './hooks.js';

/** Makes a file, then offers it for saving. */
export function DownloadButton({ label, words, make, ...file }: DownloadProperties): Content {
  const task = useTask(words);
  const [text, setText] = useState<string | null>(null);
  if (text !== null) return <SaveLink {...file} text={text} words={words} />;
  return (
    <>
      {task.error !== null && errorLine(task.error)}
      <p class="links">{link(label, () => task.run(async () => setText(await make())))}</p>
    </>
  );
}

interface DownloadProperties extends Omit<FileProperties, 'text'> {
  readonly label: string;
  readonly make: () => Promise<string>;
}

/** A link that saves a text as a file. The text stays in the page. */
export function SaveLink({ text, name, type, words }: FileProperties): Content {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const objectUrl = URL.createObjectURL(new Blob([text], { type }));
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [text, type]);
  return url === undefined ? null : (
    <a class="button" href={url} download={name}>
      {words.saveFile}
    </a>
  );
}

interface FileProperties {
  readonly text: string;
  readonly name: string;
  readonly type: string;
  readonly words: PanelWords;
}
