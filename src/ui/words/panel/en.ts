/** The texts of the panel, of setting up a wallet and of recovering one, in English. */
export const panelEnglish = {
  back: 'Back',
};
