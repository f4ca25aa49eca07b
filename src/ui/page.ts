/**
 * Members of the page's document, read from its prototype: an element such as `<img name=body>` shadows the member of
 * that name on `document` (DOM clobbering), but not on the prototype.
 */
export const prototypeOfPage = (): Document => Object.getPrototypeOf(document) as Document;

export const bodyOfPage = (): HTMLElement => Reflect.get(prototypeOfPage(), 'body', document) as HTMLElement;

export const headOfPage = (): HTMLElement => Reflect.get(prototypeOfPage(), 'head', document) as HTMLElement;
