/** Typed data of the forms that contracts in the wild take, as a page asks for them. */

export const owner = `0x${'0a'.repeat(20)}` as const;
export const other = `0x${'5e'.repeat(20)}` as const;
export const third = `0x${'3d'.repeat(20)}` as const;
export const token = `0x${'70'.repeat(20)}` as const;
export const second = `0x${'71'.repeat(20)}` as const;
export const zero = `0x${'00'.repeat(20)}` as const;
/** Unix seconds, in the coming year. */
export const soon = `${Math.floor(Date.now() / 1_000) + 300 * 86_400}`;
export const later = `${Number(soon) + 1}`;
export const uint = (bits: number) => 2n ** BigInt(bits);

export interface Form {
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: string;
  readonly domain: object;
  readonly message: object;
}

/** Types as Solidity writes them: `{ Permit: 'address owner, uint256 value' }`. The first is the primary one. */
export function form(
  types: Readonly<Record<string, string>>,
  message: object,
  domain: object = { chainId: 31, verifyingContract: token },
): Form {
  const read = (fields: string) =>
    fields.split(', ').map((field) => {
      const [type = '', name = ''] = field.split(' ');
      return { name, type };
    });
  return {
    types: Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, read(fields)])),
    primaryType: Object.keys(types)[0] as string,
    domain,
    message,
  };
}

const authorization =
  'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce';
const nonce32 = `0x${'01'.repeat(32)}`;
const approveAll = `0x095ea7b3${other.slice(2).padStart(64, '0')}${'f'.repeat(64)}`;

const authorized = {
  from: owner,
  to: other,
  value: '1500000',
  validAfter: 0,
  validBefore: soon,
  nonce: nonce32,
};

export const transferWithAuthorization = form({ TransferWithAuthorization: authorization }, authorized);
export const receiveWithAuthorization = form({ ReceiveWithAuthorization: authorization }, authorized);
export const cancelAuthorization = form(
  { CancelAuthorization: 'address authorizer, bytes32 nonce' },
  { authorizer: owner, nonce: nonce32 },
);

/** ERC-4494. */
export const collectible = form(
  { Permit: 'address spender, uint256 tokenId, uint256 nonce, uint256 deadline' },
  { spender: other, tokenId: 77, nonce: 0, deadline: soon },
);

export const permitForAll = (approved = true) =>
  form(
    { PermitForAll: 'address owner, address operator, bool approved, uint256 nonce, uint256 deadline' },
    { owner, operator: other, approved, nonce: 0, deadline: soon },
  );

/** EIP-2771 as OpenZeppelin's MinimalForwarder takes it. */
export const forwardRequest = (data: string = approveAll, to: string = token) =>
  form(
    {
      ForwardRequest:
        'address from, address to, uint256 value, uint256 gas, uint256 nonce, uint48 deadline, bytes data',
    },
    { from: owner, to, value: 0, gas: 100_000, nonce: 0, deadline: soon, data },
    { name: 'Forwarder', chainId: 31, verifyingContract: third },
  );

/** RIF Relay of Rootstock. */
export const relayRequest = form(
  {
    RelayRequest:
      'address relayHub, address from, address to, address tokenContract, uint256 value, uint256 gas, uint256 nonce, uint256 tokenAmount, uint256 tokenGas, uint256 validUntilTime, bytes data, RelayData relayData',
    RelayData: 'uint256 gasPrice, address feesReceiver, address callForwarder, address callVerifier',
  },
  {
    relayHub: third,
    from: owner,
    to: token,
    tokenContract: second,
    value: 0,
    gas: 1,
    nonce: 0,
    tokenAmount: '2500000000000000000',
    tokenGas: 1,
    validUntilTime: soon,
    data: approveAll,
    relayData: { gasPrice: 1, feesReceiver: third, callForwarder: third, callVerifier: third },
  },
  { name: 'RSK Enveloping Transaction', version: '2', chainId: 31, verifyingContract: third },
);

export const metaTransaction = form(
  { MetaTransaction: 'uint256 nonce, address from, bytes functionSignature' },
  { nonce: 0, from: owner, functionSignature: approveAll },
);

export const safeTransaction = (operation: number) =>
  form(
    {
      SafeTx:
        'address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce',
    },
    {
      to: other,
      value: '250000000000000000',
      data: '0x12345678',
      operation,
      safeTxGas: 0,
      baseGas: 0,
      gasPrice: 0,
      gasToken: zero,
      refundReceiver: zero,
      nonce: 3,
    },
    { chainId: 31, verifyingContract: third },
  );

export const safeMessage = form(
  { SafeMessage: 'bytes message' },
  { message: nonce32 },
  { chainId: 31, verifyingContract: third },
);

const seaport = {
  OrderComponents:
    'address offerer, address zone, OfferItem[] offer, ConsiderationItem[] consideration, uint8 orderType, uint256 startTime, uint256 endTime, bytes32 zoneHash, uint256 salt, bytes32 conduitKey, uint256 counter',
  OfferItem:
    'uint8 itemType, address token, uint256 identifierOrCriteria, uint256 startAmount, uint256 endAmount',
  ConsiderationItem:
    'uint8 itemType, address token, uint256 identifierOrCriteria, uint256 startAmount, uint256 endAmount, address recipient',
};
const seaportDomain = { name: 'Seaport', version: '1.5', chainId: 31, verifyingContract: third };
const collectibleItem = { itemType: 2, token, identifierOrCriteria: 77, startAmount: 1, endAmount: 1 };
const price = (recipient: string, amount: string) => ({
  itemType: 0,
  token: zero,
  identifierOrCriteria: 0,
  startAmount: amount,
  endAmount: amount,
  recipient,
});
export const components = (consideration: readonly object[], offerer: string = owner, end = soon) => ({
  offerer,
  zone: zero,
  offer: [collectibleItem],
  consideration,
  orderType: 0,
  startTime: '1700000000',
  endTime: end,
  zoneHash: nonce32,
  salt: 1,
  conduitKey: nonce32,
  counter: 0,
});
const sold = components([price(owner, '950000000000000000'), price(third, '50000000000000000')]);

export const seaportOrder = form(seaport, sold, seaportDomain);
/** A collectible for one wei, which goes to somebody else. */
export const seaportGift = form(seaport, components([price(third, '1')]), seaportDomain);
const empty = { ...components([], zero, '0'), offer: [], startTime: 0 };
export const seaportBulkOrder = form(
  { BulkOrder: 'OrderComponents[2][2] tree', ...seaport },
  {
    tree: [
      [sold, components([], owner, later)],
      [sold, empty],
    ],
  },
  seaportDomain,
);

export const zeroExOrder = form(
  {
    LimitOrder:
      'address makerToken, address takerToken, uint128 makerAmount, uint128 takerAmount, uint128 takerTokenFeeAmount, address maker, address taker, address sender, address feeRecipient, bytes32 pool, uint64 expiry, uint256 salt',
  },
  {
    makerToken: token,
    takerToken: second,
    makerAmount: 5_000_000,
    takerAmount: '7000000000000000000',
    takerTokenFeeAmount: 0,
    maker: owner,
    taker: zero,
    sender: zero,
    feeRecipient: zero,
    pool: nonce32,
    expiry: soon,
    salt: 1,
  },
  { name: 'ZeroEx', chainId: 31, verifyingContract: third },
);

export const cowOrder = form(
  {
    Order:
      'address sellToken, address buyToken, address receiver, uint256 sellAmount, uint256 buyAmount, uint32 validTo, bytes32 appData, uint256 feeAmount, string kind, bool partiallyFillable',
  },
  {
    sellToken: token,
    buyToken: second,
    receiver: owner,
    sellAmount: 5,
    buyAmount: 7,
    validTo: soon,
    appData: nonce32,
    feeAmount: 0,
    kind: 'sell',
    partiallyFillable: false,
  },
);

/** Forms of nobody in particular that name somebody and a bound. */
export const unknownForms: Readonly<Record<string, readonly [form: Form, holders: readonly string[]]>> = {
  'a spender and an amount': [
    form({ Spend: 'address spender, uint256 amount' }, { spender: other, amount: 5 }),
    ['spender'],
  ],
  'an operator until a time': [
    form({ Session: 'address operator, uint64 expiresAt' }, { operator: other, expiresAt: soon }),
    ['operator'],
  ],
  'a delegate with an end': [
    form(
      { Delegation: 'address delegatee, uint256 nonce, uint256 expiry' },
      { delegatee: other, nonce: 0, expiry: soon },
    ),
    ['delegatee'],
  ],
  'a nested recipient': [
    form(
      { Intent: 'Payment payment, uint256 nonce', Payment: 'address recipient, uint256 value' },
      { payment: { recipient: other, value: 5 }, nonce: 1 },
    ),
    ['payment.recipient'],
  ],
  'a permit with the types of none': [
    form(
      { Permit: 'address owner, address spender, uint128 value, uint256 deadline' },
      { owner, spender: other, value: 5, deadline: soon },
    ),
    ['spender'],
  ],
  'an order of another exchange': [
    form(
      {
        Order:
          'address trader, uint8 side, address collection, uint256 tokenId, uint256 price, uint256 expirationTime',
      },
      { trader: owner, side: 1, collection: token, tokenId: 5, price: 1, expirationTime: soon },
    ),
    [],
  ],
  'a message of a Safe': [safeMessage, []],
};

/** The example of EIP-712, which names another address and gives it nothing. */
export const mail = form(
  { Mail: 'Person from, Person to, string contents', Person: 'string name, address wallet' },
  { from: { name: 'Cow', wallet: owner }, to: { name: 'Bob', wallet: other }, contents: 'Hello, Bob!' },
);

/** Several calls for one signature. */
export const severalCalls = form(
  { Execute: 'Call[] calls, uint256 deadline', Call: 'address to, uint256 value, bytes data' },
  {
    calls: [
      { to: other, value: 1, data: '0x' },
      { to: third, value: 2, data: '0x' },
    ],
    deadline: soon,
  },
);

/** Forms that give nobody anything. */
export const harmless: Readonly<Record<string, Form>> = {
  vote: form(
    { Vote: 'address from, string space, uint64 timestamp, bytes32 proposal, uint32 choice' },
    { from: owner, space: 'dao.example', timestamp: soon, proposal: nonce32, choice: 1 },
  ),
  login: form(
    { Login: 'address account, string statement, uint256 issuedAt' },
    { account: owner, statement: 'Hi', issuedAt: soon },
  ),
  cancellation: cancelAuthorization,
};
