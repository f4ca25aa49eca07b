import { useEffect, useState } from 'preact/hooks';
import { type Content, Fragment, h } from '../h.js';
import { button } from '../pieces/fields.js';
import type { Words } from '../words/words.js';
import { useTask } from './hooks.js';

/** Makes a file, then offers it for saving. */
export function DownloadButton({ label, words, name, type, make }: DownloadButton.Properties): Content {
  const task = useTask(words);
  const [text, setText] = useState<string | null>(null);
  if (text !== null) return <SaveLink text={text} name={name} type={type} label={words.saveFile} />;
  return (
    <>
      {task.error !== null && (
        <p class="error" role="alert">
          {task.error}
        </p>
      )}
      <p class="links">
        {button(label, () => task.run(async () => setText(await make())), { class: 'link' })}
      </p>
    </>
  );
}

export declare namespace DownloadButton {
  interface Properties {
    readonly label: string;
    readonly words: Words;
    readonly name: string;
    readonly type: string;
    readonly make: () => Promise<string>;
  }
}

/** A link that saves a text as a file. The text stays in the page. */
export function SaveLink({ text, name, type, label }: SaveLink.Properties): Content {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [text, type]);
  return url === undefined ? null : (
    <a class="button" href={url} download={name}>
      {label}
    </a>
  );
}

export declare namespace SaveLink {
  interface Properties {
    readonly text: string;
    readonly name: string;
    readonly type: string;
    readonly label: string;
  }
}
