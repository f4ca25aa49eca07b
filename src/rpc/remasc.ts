/** The contract that pays the miners: the last transaction of every block calls it (docs/notes/node.md#remasc). */
export const remasc = '0x0000000000000000000000000000000001000008';
