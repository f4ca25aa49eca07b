/** The kind of a vault's optional record that is a purse, as JSON in UTF-8. */
export const purseKind = 130;
