/** The kind of a vault's optional record that is a contact, as JSON in UTF-8. */
export const contactKind = 131;
