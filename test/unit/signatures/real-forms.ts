import { concatHex, encodeFunctionData, encodePacked, parseAbi, size, zeroHash } from 'viem';
import type { Hex } from '../../../src/rpc/schema.js';
import * as forms from './forms.js';

/** Typed data that contracts in use accept, by the specification or contract that defines it. */

const { form, owner, other, third, token, second, zero, soon, uint } = forms;
const word = `0x${'01'.repeat(32)}`;
const most = (uint(256) - 1n).toString();
const abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function addOwnerWithThreshold(address owner, uint256 threshold)',
  'function multiSend(bytes transactions)',
  'function execute(address target, uint256 value, bytes data)',
  'function executeUserOp(address to, uint256 value, bytes data, uint8 operation)',
  'function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation)',
  'function transferOwnership(address owner)',
]);
const encode = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args } as never);
const approveAll = encode('approve', [other, uint(256) - 1n]);
const sendAll = encode('transfer', [other, uint(100)]);
const packed = (to: Hex, data: Hex) =>
  encodePacked(['uint8', 'address', 'uint256', 'uint256', 'bytes'], [0, to, 0n, BigInt(size(data)), data]);

const permit = 'address owner, address spender, uint256 value, uint256 nonce, uint256 deadline';
const permit2Domain = { name: 'Permit2', chainId: 31, verifyingContract: third };
const details = 'address token, uint160 amount, uint48 expiration, uint48 nonce';
const permitted = 'address token, uint256 amount';
const oneDetail = { token, amount: 5, expiration: soon, nonce: 0 };
const safeTx = forms.safeTransaction(0);
const safe = (data: Hex, operation = 0, to: string = third) => ({
  ...safeTx,
  message: { ...safeTx.message, to, data, operation },
});
const delegation = (caveats: readonly object[]) =>
  form(
    {
      Delegation: 'address delegate, address delegator, bytes32 authority, Caveat[] caveats, uint256 salt',
      Caveat: 'address enforcer, bytes terms',
    },
    { delegate: other, delegator: owner, authority: `0x${'f'.repeat(64)}`, caveats, salt: 0 },
    { name: 'DelegationManager', version: '1', chainId: 31, verifyingContract: third },
  );
const order = (receiver: string) => ({
  ...forms.cowOrder,
  message: { ...forms.cowOrder.message, receiver },
});

type Severity = 'danger' | 'caution' | 'none';
/** The form with the highest severity that it must have, and warnings that it must have. */
export type RealForm = readonly [form: forms.Form, severity: Severity, codes: readonly string[]];

export const realForms: Readonly<Record<string, RealForm>> = {
  'EIP-2612 Permit, an amount': [
    form({ Permit: permit }, { owner, spender: other, value: 5, nonce: 0, deadline: soon }),
    'danger',
    ['permit'],
  ],
  'EIP-2612 Permit, everything': [
    form({ Permit: permit }, { owner, spender: other, value: most, nonce: 0, deadline: most }),
    'danger',
    ['permit', 'unlimited-approval'],
  ],
  'DAI Permit, allowed': [
    form(
      { Permit: 'address holder, address spender, uint256 nonce, uint256 expiry, bool allowed' },
      { holder: owner, spender: other, nonce: 0, expiry: 0, allowed: true },
    ),
    'danger',
    ['permit', 'unlimited-approval'],
  ],
  'Permit2 PermitSingle': [
    form(
      { PermitSingle: 'PermitDetails details, address spender, uint256 sigDeadline', PermitDetails: details },
      { details: oneDetail, spender: other, sigDeadline: soon },
      permit2Domain,
    ),
    'danger',
    ['permit'],
  ],
  'Permit2 PermitSingle, everything': [
    form(
      { PermitSingle: 'PermitDetails details, address spender, uint256 sigDeadline', PermitDetails: details },
      { details: { ...oneDetail, amount: (uint(160) - 1n).toString() }, spender: other, sigDeadline: soon },
      permit2Domain,
    ),
    'danger',
    ['permit', 'unlimited-approval'],
  ],
  'Permit2 PermitBatch': [
    form(
      {
        PermitBatch: 'PermitDetails[] details, address spender, uint256 sigDeadline',
        PermitDetails: details,
      },
      { details: [oneDetail, { ...oneDetail, token: second }], spender: other, sigDeadline: soon },
      permit2Domain,
    ),
    'danger',
    ['permit'],
  ],
  'Permit2 PermitTransferFrom': [
    form(
      {
        PermitTransferFrom: 'TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline',
        TokenPermissions: permitted,
      },
      { permitted: { token, amount: 5 }, spender: other, nonce: 0, deadline: soon },
      permit2Domain,
    ),
    'danger',
    ['permit'],
  ],
  'Permit2 PermitBatchTransferFrom': [
    form(
      {
        PermitBatchTransferFrom:
          'TokenPermissions[] permitted, address spender, uint256 nonce, uint256 deadline',
        TokenPermissions: permitted,
      },
      {
        permitted: [
          { token, amount: 5 },
          { token: second, amount: most },
        ],
        spender: other,
        nonce: 0,
        deadline: soon,
      },
      permit2Domain,
    ),
    'danger',
    ['permit', 'unlimited-approval'],
  ],
  'UniswapX ExclusiveDutchOrder as a witness of Permit2': [
    form(
      {
        PermitWitnessTransferFrom:
          'TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline, ExclusiveDutchOrder witness',
        TokenPermissions: permitted,
        ExclusiveDutchOrder: 'address reactor, address swapper, uint256 nonce, bytes additionalData',
      },
      {
        permitted: { token, amount: 5 },
        spender: other,
        nonce: 0,
        deadline: soon,
        witness: { reactor: third, swapper: owner, nonce: 0, additionalData: approveAll },
      },
      permit2Domain,
    ),
    'danger',
    ['permit', 'unlimited-approval'],
  ],
  'EIP-3009 TransferWithAuthorization': [forms.transferWithAuthorization, 'danger', ['permit']],
  'EIP-3009 ReceiveWithAuthorization': [forms.receiveWithAuthorization, 'danger', ['permit']],
  'EIP-3009 CancelAuthorization': [forms.cancelAuthorization, 'none', []],
  'ERC-4494 Permit': [forms.collectible, 'danger', ['permit']],
  'PermitForAll of a collection': [forms.permitForAll(true), 'danger', ['approval-for-all']],
  'PermitForAll that ends a right': [forms.permitForAll(false), 'none', []],
  'OpenZeppelin ForwardRequest, an unlimited approval': [
    forms.forwardRequest(approveAll),
    'danger',
    ['acts-as-you', 'unlimited-approval'],
  ],
  'OpenZeppelin ForwardRequest, an unknown call': [
    forms.forwardRequest('0x12345678'),
    'danger',
    ['acts-as-you', 'unknown-call'],
  ],
  'GSN RelayRequest': [
    form(
      {
        RelayRequest:
          'address from, address to, uint256 value, uint256 gas, uint256 nonce, bytes data, uint256 validUntilTime, RelayData relayData',
        RelayData: 'uint256 maxFeePerGas, address relayWorker, address paymaster, bytes paymasterData',
      },
      {
        ...{ from: owner, to: token, value: 0, gas: 1, nonce: 0, data: approveAll, validUntilTime: soon },
        relayData: { maxFeePerGas: 1, relayWorker: third, paymaster: third, paymasterData: '0x' },
      },
    ),
    'danger',
    ['acts-as-you', 'unlimited-approval'],
  ],
  'RIF Relay RelayRequest': [forms.relayRequest, 'danger', ['acts-as-you', 'unlimited-approval']],
  'RIF Relay DeployRequest': [
    form(
      {
        DeployRequest:
          'address relayHub, address from, address to, address tokenContract, address recoverer, uint256 value, uint256 nonce, uint256 tokenAmount, uint256 validUntilTime, uint256 index, bytes data',
      },
      {
        ...{ relayHub: third, from: owner, to: token, tokenContract: second, recoverer: other, value: 0 },
        ...{ nonce: 0, tokenAmount: 0, validUntilTime: soon, index: 0, data: approveAll },
      },
    ),
    'danger',
    ['acts-as-you', 'unlimited-approval'],
  ],
  'Biconomy MetaTransaction': [forms.metaTransaction, 'danger', ['acts-as-you', 'unlimited-approval']],
  'Biconomy ERC20ForwardRequest': [
    form(
      {
        ERC20ForwardRequest:
          'address from, address to, address token, uint256 txGas, uint256 tokenGasPrice, uint256 batchId, uint256 batchNonce, uint256 deadline, bytes data',
      },
      {
        ...{ from: owner, to: token, token: second, txGas: 1, tokenGasPrice: 0, batchId: 0 },
        ...{ batchNonce: 0, deadline: soon, data: sendAll },
      },
    ),
    'danger',
    ['acts-as-you'],
  ],
  'Gelato SponsoredCallERC2771': [
    form(
      {
        SponsoredCallERC2771:
          'uint256 chainId, address target, bytes data, address user, uint256 userNonce, uint256 userDeadline',
      },
      { chainId: 31, target: token, data: approveAll, user: owner, userNonce: 0, userDeadline: soon },
    ),
    'danger',
    ['acts-as-you', 'unlimited-approval'],
  ],
  'Safe SafeTx, an unlimited approval': [
    safe(approveAll, 0, token),
    'danger',
    ['acts-as-you', 'unlimited-approval'],
  ],
  'Safe SafeTx, a new owner': [
    safe(encode('addOwnerWithThreshold', [other, 1n])),
    'danger',
    ['acts-as-you', 'changes-control'],
  ],
  'Safe SafeTx, MultiSend by delegatecall': [
    safe(encode('multiSend', [concatHex([packed(token, approveAll), packed(second, sendAll)])]), 1),
    'danger',
    ['acts-as-you', 'delegate-call', 'runs-calls', 'unlimited-approval'],
  ],
  'Safe SafeTx, unknown code by delegatecall': [forms.safeTransaction(1), 'danger', ['delegate-call']],
  'Safe SafeMessage': [forms.safeMessage, 'danger', ['gives-right', 'endless-right']],
  'Safe AllowanceTransfer of the allowance module': [
    form(
      {
        AllowanceTransfer:
          'address safe, address token, address to, uint96 amount, address paymentToken, uint96 payment, uint16 nonce',
      },
      { safe: third, token, to: other, amount: 5, paymentToken: zero, payment: 0, nonce: 0 },
    ),
    'danger',
    ['gives-right'],
  ],
  'Zodiac ModuleTx': [
    form(
      { ModuleTx: 'bytes data, bytes32 salt' },
      { data: encode('execTransactionFromModule', [token, 0n, approveAll, 0]), salt: word },
    ),
    'danger',
    ['acts-as-you', 'unlimited-approval'],
  ],
  'ERC-4337 PackedUserOperation': [
    form(
      {
        PackedUserOperation:
          'address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData',
      },
      {
        ...{ sender: second, nonce: 0, initCode: '0x', accountGasLimits: word, preVerificationGas: 1 },
        ...{ callData: encode('execute', [token, 0n, approveAll]), gasFees: word, paymasterAndData: '0x' },
      },
      { name: 'ERC4337', version: '1', chainId: 31, verifyingContract: third },
    ),
    'danger',
    ['acts-as-you', 'runs-calls', 'unlimited-approval'],
  ],
  'ERC-4337 UserOperation': [
    form(
      {
        UserOperation:
          'address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData',
      },
      {
        ...{ sender: second, nonce: 0, initCode: '0x', callGasLimit: 1, verificationGasLimit: 1 },
        ...{ preVerificationGas: 1, maxFeePerGas: 1, maxPriorityFeePerGas: 1, paymasterAndData: '0x' },
        callData: encode('execute', [token, 0n, sendAll]),
      },
    ),
    'danger',
    ['acts-as-you', 'runs-calls'],
  ],
  'Safe4337Module SafeOp': [
    form(
      {
        SafeOp:
          'address safe, uint256 nonce, bytes initCode, bytes callData, uint128 callGasLimit, uint128 maxFeePerGas, bytes paymasterAndData, uint48 validAfter, uint48 validUntil, address entryPoint',
      },
      {
        ...{ safe: second, nonce: 0, initCode: '0x', callGasLimit: 1, maxFeePerGas: 1 },
        ...{ paymasterAndData: '0x', validAfter: 0, validUntil: 0, entryPoint: third },
        callData: encode('executeUserOp', [token, 0n, approveAll, 0]),
      },
    ),
    'danger',
    ['acts-as-you', 'unlimited-approval'],
  ],
  'ERC-7710 Delegation without caveats': [delegation([]), 'danger', ['gives-right', 'endless-right']],
  'ERC-7710 Delegation with a caveat': [
    delegation([{ enforcer: third, terms: '0x01' }]),
    'danger',
    ['gives-right'],
  ],
  'EIP-7702 Authorization': [
    form(
      { Authorization: 'uint256 chainId, address address, uint256 nonce' },
      { chainId: 31, address: other, nonce: 0 },
    ),
    'danger',
    ['gives-right', 'endless-right'],
  ],
  'ERC-7821 batch in a mode': [
    form(
      { Execute: 'bytes32 mode, bytes executionData, uint256 nonce' },
      { mode: `0x01${'00'.repeat(31)}`, executionData: concatHex([zeroHash, approveAll]), nonce: 0 },
    ),
    'danger',
    ['gives-right', 'unlimited-approval'],
  ],
  'Kernel Enable of a session': [
    form(
      { Enable: 'bytes21 validationId, uint32 nonce, address hook, bytes validatorData, bytes hookData' },
      { validationId: `0x${'01'.repeat(21)}`, nonce: 0, hook: zero, validatorData: other, hookData: '0x' },
    ),
    'danger',
    ['gives-right', 'endless-right'],
  ],
  'Rhinestone MultiChainSession': [
    form(
      {
        MultiChainSession: 'ChainSession[] sessionsAndChainIds',
        ChainSession: 'uint64 chainId, address account, address sessionValidator, bytes32 salt',
      },
      { sessionsAndChainIds: [{ chainId: 31, account: owner, sessionValidator: other, salt: word }] },
    ),
    'danger',
    ['gives-right', 'endless-right'],
  ],
  'Hyperliquid ApproveAgent': [
    form(
      { ApproveAgent: 'string hyperliquidChain, address agentAddress, string agentName, uint64 nonce' },
      { hyperliquidChain: 'Mainnet', agentAddress: other, agentName: 'x', nonce: 1 },
    ),
    'danger',
    ['gives-right', 'endless-right'],
  ],
  'Compound Delegation of votes': [
    form(
      { Delegation: 'address delegatee, uint256 nonce, uint256 expiry' },
      { delegatee: other, nonce: 0, expiry: soon },
    ),
    'danger',
    ['gives-right'],
  ],
  'Compound III Authorization': [
    form(
      { Authorization: 'address owner, address manager, bool isAllowed, uint256 nonce, uint256 expiry' },
      { owner, manager: other, isAllowed: true, nonce: 0, expiry: most },
    ),
    'danger',
    ['gives-right', 'endless-right'],
  ],
  'Morpho Authorization': [
    form(
      {
        Authorization:
          'address authorizer, address authorized, bool isAuthorized, uint256 nonce, uint256 deadline',
      },
      { authorizer: owner, authorized: other, isAuthorized: true, nonce: 0, deadline: soon },
    ),
    'danger',
    ['gives-right'],
  ],
  'Aave DelegationWithSig of credit': [
    form(
      { DelegationWithSig: 'address delegatee, uint256 value, uint256 nonce, uint256 deadline' },
      { delegatee: other, value: most, nonce: 0, deadline: most },
    ),
    'danger',
    ['gives-right', 'endless-right'],
  ],
  'Aave Delegate of votes': [
    form(
      { Delegate: 'address delegator, address delegatee, uint256 nonce, uint256 deadline' },
      { delegator: owner, delegatee: other, nonce: 0, deadline: soon },
    ),
    'danger',
    ['gives-right'],
  ],
  'Seaport OrderComponents': [forms.seaportOrder, 'danger', ['permit']],
  'Seaport OrderComponents for nothing': [forms.seaportGift, 'danger', ['permit', 'nothing-back']],
  'Seaport BulkOrder': [forms.seaportBulkOrder, 'danger', ['permit']],
  '0x LimitOrder': [forms.zeroExOrder, 'danger', ['permit']],
  'CoW Order': [order(owner), 'danger', ['permit']],
  'CoW Order that pays another address': [order(other), 'danger', ['permit', 'nothing-back']],
  '1inch Order': [
    form(
      {
        Order:
          'uint256 salt, address maker, address receiver, address makerAsset, address takerAsset, uint256 makingAmount, uint256 takingAmount, uint256 makerTraits',
      },
      {
        ...{ salt: 1, maker: owner, receiver: zero, makerAsset: token, takerAsset: second },
        ...{ makingAmount: 5, takingAmount: 7, makerTraits: 0 },
      },
    ),
    'danger',
    ['permit'],
  ],
  'LooksRare Maker': [
    form(
      {
        Maker:
          'uint8 quoteType, uint256 globalNonce, address collection, address currency, address signer, uint256 startTime, uint256 endTime, uint256 price, uint256[] itemIds, uint256[] amounts, bytes additionalParameters',
      },
      {
        ...{ quoteType: 1, globalNonce: 0, collection: second, currency: zero, signer: owner },
        ...{ startTime: 0, endTime: soon, price: 1, itemIds: [5], amounts: [1], additionalParameters: '0x' },
      },
    ),
    'caution',
    ['unclear-form'],
  ],
  'Blur Order': [
    form(
      {
        Order:
          'address trader, uint8 side, address matchingPolicy, address collection, uint256 tokenId, uint256 price, uint256 expirationTime',
      },
      {
        ...{ trader: owner, side: 1, matchingPolicy: third, collection: second, tokenId: 5 },
        ...{ price: 1, expirationTime: soon },
      },
    ),
    'danger',
    ['gives-right'],
  ],
  'Rarible Order': [
    form(
      {
        Order:
          'address maker, Asset makeAsset, address taker, Asset takeAsset, uint256 salt, bytes4 dataType, bytes data',
        Asset: 'bytes4 assetClass, bytes assetData, uint256 value',
      },
      {
        ...{ maker: owner, taker: zero, salt: 1, dataType: '0x00000000', data: '0x' },
        makeAsset: { assetClass: '0x00000000', assetData: word, value: 1 },
        takeAsset: { assetClass: '0x00000000', assetData: '0x', value: 1 },
      },
    ),
    'danger',
    ['gives-right'],
  ],
  'Wyvern Order': [
    form(
      {
        Order:
          'address exchange, address maker, address taker, uint256 basePrice, uint8 howToCall, address target, bytes calldata, bytes replacementPattern, uint256 listingTime',
      },
      {
        ...{ exchange: third, maker: owner, taker: zero, basePrice: 1, howToCall: 1, target: second },
        ...{ calldata: approveAll, replacementPattern: '0x', listingTime: soon },
      },
    ),
    'danger',
    ['acts-as-you', 'delegate-call', 'unlimited-approval'],
  ],
  'Governor Ballot': [
    form({ Ballot: 'uint256 proposalId, uint8 support' }, { proposalId: 5, support: 1 }),
    'none',
    [],
  ],
  'Snapshot Vote': [forms.harmless.vote as forms.Form, 'none', []],
  'Snapshot Follow': [
    form(
      { Follow: 'address from, string space, uint64 timestamp' },
      { from: owner, space: 'dao.example', timestamp: soon },
    ),
    'none',
    [],
  ],
  'Snapshot Alias': [
    form({ Alias: 'address from, address alias' }, { from: owner, alias: other }),
    'danger',
    ['gives-right', 'endless-right'],
  ],
  'Farcaster Add of a key': [
    form(
      {
        Add: 'address owner, uint32 keyType, bytes key, uint8 metadataType, bytes metadata, uint256 nonce, uint256 deadline',
      },
      { owner, keyType: 1, key: word, metadataType: 1, metadata: '0x', nonce: 0, deadline: soon },
    ),
    'danger',
    ['gives-right'],
  ],
  'Farcaster ChangeRecoveryAddress': [
    form(
      { ChangeRecoveryAddress: 'uint256 fid, address from, address to, uint256 nonce, uint256 deadline' },
      { fid: 5, from: owner, to: other, nonce: 0, deadline: soon },
    ),
    'danger',
    ['gives-right'],
  ],
  'EAS Attest': [
    form(
      {
        Attest:
          'bytes32 schema, address recipient, uint64 expirationTime, bool revocable, bytes32 refUID, bytes data, uint256 nonce',
      },
      {
        schema: word,
        recipient: other,
        expirationTime: 0,
        revocable: true,
        refUID: word,
        data: '0x12',
        nonce: 0,
      },
    ),
    'danger',
    ['gives-right'],
  ],
  'ERC-7739 TypedDataSign around a permit': [
    form(
      {
        TypedDataSign: 'Permit contents, string name, uint256 chainId, address verifyingContract',
        Permit: permit,
      },
      {
        contents: { owner, spender: other, value: most, nonce: 0, deadline: most },
        ...{ name: 'Account', chainId: 31, verifyingContract: third },
      },
    ),
    'danger',
    ['gives-right', 'endless-right'],
  ],
  'ERC-7739 PersonalSign': [
    form({ PersonalSign: 'bytes prefixed' }, { prefixed: '0x1234' }),
    'caution',
    ['unclear-form'],
  ],
  'A new owner': [
    form({ TransferOwnership: 'address newOwner' }, { newOwner: other }),
    'danger',
    ['endless-right'],
  ],
  'New guardians': [
    form(
      { SetGuardians: 'address[] guardians, uint256 threshold' },
      { guardians: [other, third], threshold: 1 },
    ),
    'danger',
    ['endless-right'],
  ],
  'A session key that is no address': [
    form({ Start: 'bytes32 sessionPublicKey' }, { sessionPublicKey: word }),
    'danger',
    ['endless-right'],
  ],
  'A batch in parallel arrays': [
    form(
      { Batch: 'address[] targets, uint256[] values, bytes[] datas, uint256 nonce' },
      { targets: [second, token], values: [0, 0], datas: [sendAll, approveAll], nonce: 0 },
    ),
    'danger',
    ['acts-as-you', 'unlimited-approval'],
  ],
  'EIP-712 Mail': [forms.mail, 'caution', ['unclear-form']],
  'A log-in': [forms.harmless.login as forms.Form, 'none', []],
};
