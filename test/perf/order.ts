/** Typed data (EIP-712) of an order in a shop, without rights to tokens. */
export const order = {
  domain: { name: 'Shop', chainId: 31 },
  primaryType: 'Order',
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Order: [{ name: 'id', type: 'uint256' }],
  },
  message: { id: '1' },
} as const;
