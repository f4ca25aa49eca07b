/** The contract that pays the miners: the last transaction of every block calls it (node-facts §10 and §12). */
export const remasc = '0x0000000000000000000000000000000001000008';
