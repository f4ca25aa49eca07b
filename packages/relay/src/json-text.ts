/** A result as the JSON that a client is sent: several answers share one text. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
