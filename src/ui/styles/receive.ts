/** The QR code of an address. Loaded with the panel, and with the step of the dialog that shows one. */
export const receive = (): string => `
figure.code { display: flex; justify-content: center; }
.qr { width: min(100%, 240px); border-radius: 14px; }
.centred { justify-content: center; }
`;
