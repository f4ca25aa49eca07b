import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createLocalService, type LocalService } from '../../../packages/kit/src/local/index.js';
import type { Address } from '../../../src/rpc/schema.js';
import { type BridgeSites, serveBridgeSites } from '../../support/bridge-sites.js';
import { launchPlainChromium } from '../../support/chromium.js';
import { type DialogDriver, openDialog } from '../../support/dialog-driver.js';
import { until } from '../../support/until.js';
import type { Placement } from '../clients/placements.js';
import type { TestDappPage } from './test-dapp-page.js';
import type { TestDappWalletPage } from './test-dapp-wallet-page.js';

/** MetaMask's test dapp as npm has it, unchanged but for one script in front of its own. */
const dapp = fileURLToPath(new URL('../../../node_modules/@metamask/test-dapp/dist', import.meta.url));

const password = 'a password for the test dapp';
/** The mnemonic that anvil and hardhat publish, on Rootstock's test path. */
const mnemonic = 'test test test test test test test test test test test junk';
/** The dapp's own prices, 10 and 20 gwei, suit it; the cap is 80 times this (docs/notes/node.md#pool-rules). Wei. */
const minimumGasPrice = 4_000_000_000n;
const payee = '0x0c54fccd2e384b4bb6f2e405bf5cbc15a017aafb';
const tokenHolder = '0x2f318c334780961fb129d2a6c30d0763d9a5c970';
const tokenSpender = '0x9bc5baf874d2da8d216ae9f137804184ee5afef4';
const signature = /^0x[\da-f]{130}$/;

/** For what follows an action: a window of the wallet opens first, and loads. */
const patience = { timeout: 30_000 };

/** Runs the whole dapp with its wallet in its page, or over the bridge, where the person is asked in a frame or a window. */
export function defineTestDapp(placement: Placement): void {
  let service: LocalService;
  let mainnet: LocalService;
  /** Behind `http://127.0.0.1:8546`, the address of the chain that the dapp adds. */
  let added: LocalService;
  let sites: BridgeSites;
  /** The wallet's origin, where it is not in the page. */
  let host: string | undefined;
  let browser: Browser;
  let page: Page;
  let account: Address;

  /** The questions that a person was asked, and where. */
  const questions: { readonly kind: string; readonly frame: Frame }[] = [];
  /** Questions that an action of a test led to: not one more is ever asked. */
  const asked: string[] = [];
  let failuresRead = 0;
  let hashesRead = 0;

  beforeAll(async () => {
    const html = await readFile(join(dapp, 'index.html'), 'utf8');
    [service, mainnet, added, sites, browser] = await Promise.all([
      createLocalService({ minimumGasPrice }),
      createLocalService({ chainId: 1 }),
      createLocalService({ chainId: 1338 }),
      serveBridgeSites({
        modules: {
          dapp: 'test/e2e/browser/test-dapp-page.ts',
          wallet: 'test/e2e/browser/test-dapp-wallet-page.ts',
        },
        html: html.replace('<head>', '<head>SCRIPTS'),
        file: (path) => readFile(join(dapp, path)).catch(() => null),
      }),
      launchPlainChromium(),
    ]);
    const context = await browser.newContext();
    // Its styles, fonts and statistics are elsewhere: nothing leaves this machine.
    await context.route(
      ({ hostname }) => hostname !== '127.0.0.1' && !hostname.endsWith('.localhost'),
      (route) => route.abort(),
    );
    await context.routeWebSocket(/./, () => {});
    await context.route('http://127.0.0.1:8546/**', (route) => route.continue({ url: added.url }));
    await context.exposeBinding('asked', ({ frame }, kind: string) => {
      questions.push({ kind, frame });
    });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const wallet = { service: service.url, mainnet: mainnet.url };
    const origin = sites.configure('test-dapp', {});
    host = placement === 'page' ? undefined : origin('wallet');
    sites.configure('test-dapp', {
      dapp: { ...wallet, host },
      wallet: {
        ...{ ...wallet, allow: [origin('app')] },
        frameMayAsk: placement === 'frame' ? [origin('app')] : [],
      },
    });
    await page.goto(origin('app'));
    account = await (await walletFrame()).evaluate(
      async ([words, secret]) => {
        const { wallet } = (window as unknown as { page: TestDappWalletPage }).page;
        return (await wallet.importMnemonic(words as string, { password: secret as string })).address;
      },
      [mnemonic, password],
    );
    await service.controls.faucet(account, 10n ** 20n);
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([sites?.stop(), service?.close(), mainnet?.close(), added?.close()]);
  });

  /** Where the wallet is that serves the dapp. */
  async function walletFrame(): Promise<Frame> {
    const frame = await until(() =>
      page.frames().find((each) => host === undefined || each.url() === `${host}/frame.html`),
    );
    await frame.waitForFunction(() => 'page' in window);
    return frame;
  }

  const report = () =>
    page.evaluate(() => {
      const { failures, hashes } = (window as unknown as { page: TestDappPage }).page;
      return { failures, hashes };
    });

  afterEach(async ({ task }) => {
    const { failures } = await report();
    const kinds = questions.map(({ kind }) => kind);
    const unread = failures.slice(failuresRead);
    const expected = [...asked];
    if (task.result?.state === 'fail') await page.keyboard.press('Escape');
    // A test that failed half way takes none of the others with it.
    asked.splice(0, asked.length, ...kinds);
    failuresRead = failures.length;
    expect(kinds).toEqual(expected);
    expect(unread).toEqual([]);
  });

  const press = (id: string) => page.click(`#${id}`);
  const text = async (id: string) => ((await page.locator(`#${id}`).textContent()) ?? '').trim();
  const shows = (id: string, expected: string | RegExp) =>
    typeof expected === 'string'
      ? expect.poll(() => text(id), patience).toBe(expected)
      : expect.poll(() => text(id), patience).toMatch(expected);

  /** Takes away what the dapp showed before: it leaves it there until it has something new. */
  const blank = (id: string) => page.locator(`#${id}`).evaluate((element) => element.replaceChildren());

  /** Presses a button of the dapp and answers the one question that follows. Returns what the question said. */
  async function answer(id: string, kind: string, button: string): Promise<string> {
    await press(id);
    const dialog = await question(kind);
    const said = await dialog.text();
    await agree(dialog, button);
    return said;
  }

  /** Resolves with the next question, in the page, the frame or the window in which it is asked. */
  async function question(kind: string): Promise<DialogDriver> {
    const next = asked.push(kind) - 1;
    const { frame } = await until(() => questions[next], { failure: `Nobody was asked: ${kind}` });
    const dialog = await openDialog(frame, { kind });
    // A wallet that is locked asks for its password too.
    if (await dialog.evaluate((shown) => shown.querySelector('input[type=password]') !== null))
      await dialog.fill('Wallet password', password);
    return dialog;
  }

  /** Presses a button of the dialog. A window of the wallet closes itself within the click. */
  async function agree(dialog: DialogDriver, button: string): Promise<void> {
    const asking = questions.at(-1)?.frame.page();
    await dialog.click(button).catch((error: unknown) => {
      if (!asking?.isClosed()) throw error;
    });
    await closed(dialog);
  }

  /** Resolves when a click reaches the dapp again: the frame stays a moment for the next question. */
  async function closed(dialog: DialogDriver): Promise<void> {
    await dialog.closed();
    if (placement !== 'frame') return;
    await (await walletFrame()).waitForFunction(() => innerWidth === 0);
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    await page.evaluate(drawn);
  }

  /** What the dapp was refused next. */
  async function failure() {
    await expect.poll(async () => (await report()).failures.length, patience).toBeGreaterThan(failuresRead);
    return (await report()).failures[failuresRead++];
  }

  /** As {@link answer}, to a request for a signature, which the dapp then shows in `result`. */
  async function signed(id: string, result: string, kind: string, button = 'Sign'): Promise<string> {
    await blank(result);
    const said = await answer(id, kind, button);
    await shows(result, signature);
    return said;
  }

  /** Presses a button that leads to an error and to no question; `result` is where the dapp shows it. */
  async function refused(id: string, code: number | string, message: string, result?: string): Promise<void> {
    if (result !== undefined) await blank(result);
    await press(id);
    const failed = await failure();
    expect(failed).toEqual({ code, message: expect.stringContaining(message) });
    if (result !== undefined) await shows(result, `Error: ${failed?.message}`);
  }

  /** The transaction that the dapp told the console of next, as the chain has it. */
  async function mined() {
    await expect.poll(async () => (await report()).hashes.length, patience).toBeGreaterThan(hashesRead);
    const hash = (await report()).hashes[hashesRead++];
    const [transaction, receipt] = await Promise.all([
      ask('eth_getTransactionByHash', [hash]),
      ask('eth_getTransactionReceipt', [hash]),
    ]);
    return { ...(transaction as object), ...(receipt as object) } as Record<string, string>;
  }

  /** Asks the service, past the wallet. */
  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(service.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return ((await response.json()) as { result: unknown }).result;
  }

  const word = (value: string | number) =>
    (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0');
  /** A number that a contract answers: the selector of a view function and its arguments. */
  const read = async (contract: string, selector: string, ...words: (string | number)[]) =>
    Number(
      await ask('eth_call', [{ to: contract, data: `${selector}${words.map(word).join('')}` }, 'latest']),
    );
  const balanceOf = '0x70a08231';
  const allowance = '0xdd62ed3e';
  const ownerOf = '0x6352211e';
  const isApprovedForAll = '0xe985e9c5';

  describe('provider and connection', () => {
    test('the dapp finds the wallet and the chain', async () => {
      await shows('activeProviderName', 'Graft');
      expect(await page.locator('#eip6963Warning').isHidden()).toBe(true);
      await shows('network', '33');
      await shows('chainId', '0x21');
      await shows('accounts', '');
      await shows('currentNetworkName', 'Current Network: Chain ID 0x21');
      expect(await page.locator('#sendButton').isDisabled()).toBe(true);
    });

    test('a refused connection is 4001', async () => {
      await answer('connectButton', 'connect', 'Reject');
      expect(await failure()).toMatchObject({ code: 4001 });
      await shows('accounts', '');
    });

    test('an approved connection shows the account', async () => {
      await answer('connectButton', 'connect', 'Connect');
      await shows('accounts', account);
      await shows('connectButton', 'Connected');
      await press('getAccounts');
      await shows('getAccountsResult', account);
    });

    test('permissions are listed, requested again and revoked', async () => {
      await press('getPermissions');
      await shows('permissionsResult', 'eth_accounts');
      await answer('requestPermissions', 'connect', 'Reject');
      expect(await failure()).toMatchObject({ code: 4001 });
      await shows('permissionsResult', /^Error: User rejected/);
      await answer('requestPermissions', 'connect', 'Connect');
      await shows('permissionsResult', 'eth_accounts');

      await press('revokeAccountsPermission');
      await shows('accounts', '');
      await press('getPermissions');
      await shows('permissionsResult', 'No permissions found.');
      expect(await page.locator('#personalSign').isDisabled()).toBe(true);
      await answer('connectButton', 'connect', 'Connect');
      await shows('accounts', account);
    });
  });

  describe('sending', () => {
    test('on a chain with one price the dapp offers the legacy form alone', async () => {
      await shows('sendButton', 'Send');
      for (const id of ['sendEIP1559Button', 'sendEIP1559WithoutGasButton'])
        expect(await page.locator(`#${id}`).isHidden()).toBe(true);
    });

    test('the send button sends with gas limit, price and type', async () => {
      expect(await answer('sendButton', 'transaction', 'Send')).toContain('0 tRBTC');
      expect(await mined()).toMatchObject({
        from: account,
        to: payee,
        status: '0x1',
        gasPrice: '0x2540be400',
      });
    });

    test('a refused payment is 4001', async () => {
      await answer('sendButton', 'transaction', 'Reject');
      expect(await failure()).toMatchObject({ code: 4001 });
    });

    test('the send form sends legacy and EIP-1559 transactions', async () => {
      await page.fill('#toInput', payee);
      await page.fill('#amountInput', '0x16345785d8a0000');
      await page.fill('#gasInput', '0x2540be400');
      await page.fill('#dataInput', '0x');
      expect(await answer('submitForm', 'transaction', 'Send')).toContain('0.1 tRBTC');
      expect(await mined()).toMatchObject({ to: payee, value: '0x16345785d8a0000', gasPrice: '0x2540be400' });

      await page.selectOption('#typeInput', '0x2');
      await page.fill('#maxFeeInput', '0x2540be400');
      await page.fill('#maxPriorityFeeInput', '0x3b9aca00');
      await answer('submitForm', 'transaction', 'Send');
      const { type, gasPrice } = await mined();
      expect(type).toBe('0x0');
      expect(BigInt(gasPrice as string)).toBeLessThanOrEqual(10n ** 10n);
    });

    test('a price over the network’s cap is lowered to it, and the dialog says so', async () => {
      await page.selectOption('#typeInput', '0x0');
      await page.fill('#gasInput', '0xe8d4a51000');
      expect(await answer('submitForm', 'transaction', 'Send')).toContain('Price lowered');
      expect((await mined()).status).toBe('0x1');
    });

    test('a price that the chain refuses is refused before the person is asked', async () => {
      await page.fill('#gasInput', '0x1');
      await refused('submitForm', -32003, 'less than block base fee');
    });

    test('a transaction with 96 kB of data is sent', async () => {
      await answer('sendHeavyHexDataButton', 'transaction', 'Confirm');
      const { input, status } = await mined();
      expect({ size: input?.length, status }).toEqual({ size: 192_330, status: '0x1' });
    });
  });

  describe('contracts', () => {
    test('the piggy bank is deployed, takes a deposit and returns it', async () => {
      await answer('deployButton', 'transaction', 'Confirm');
      await shows('contractStatus', 'Deployed');
      expect(await answer('depositButton', 'transaction', 'Confirm')).toContain('4 tRBTC');
      await shows('contractStatus', 'Deposit completed');
      const { to: bank } = await mined();
      await answer('withdrawButton', 'transaction', 'Confirm');
      await shows('contractStatus', 'Withdrawn');
      expect(await mined()).toMatchObject({ to: bank, status: '0x1' });
      expect(Number(await ask('eth_getBalance', [bank, 'latest']))).toBe(3e18);
    });

    test('a failing call that names its gas is sent and fails on the chain', async () => {
      await answer('deployFailingButton', 'transaction', 'Confirm');
      await shows('failingContractStatus', 'Deployed');
      expect(await answer('sendFailingButton', 'transaction', 'Send')).toContain('it uses up all gas');
      await shows('failingContractStatus', 'Failed transaction process completed as expected.');
      expect(await mined()).toMatchObject({ status: '0x0' });
    });

    test('the multisig is deployed and paid', async () => {
      await answer('deployMultisigButton', 'transaction', 'Confirm');
      await shows('multisigContractStatus', 'Deployed');
      await answer('sendMultisigButton', 'transaction', 'Send');
      await shows('multisigContractStatus', 'Transaction completed as expected.');
      expect(await mined()).toMatchObject({ value: '0x16345785d8a0' });
    });
  });

  describe('tokens', () => {
    test('ERC-20: created, transferred, approved, with the gas of the dapp and without', async () => {
      await answer('createToken', 'transaction', 'Confirm');
      await shows('erc20TokenAddresses', /^0x[\da-fA-F]{40}$/);
      const token = (await text('erc20TokenAddresses')).toLowerCase();
      expect(await answer('transferTokens', 'transaction', 'Send')).toContain('1.5 TST');
      expect(await mined()).toMatchObject({ to: token, status: '0x1' });
      expect(await answer('approveTokens', 'transaction', 'Confirm')).toContain('7 TST');
      expect(await mined()).toMatchObject({ to: token, status: '0x1' });
      expect(await answer('increaseTokenAllowance', 'transaction', 'Confirm')).toContain('1 TST');
      expect(await mined()).toMatchObject({ to: token, status: '0x1' });
      expect(await read(token, allowance, account, tokenSpender)).toBe(80_000);
      await page.fill('#allowanceOwner', account);
      await page.fill('#allowanceSpender', tokenSpender);
      await press('getAllowance');
      await shows('allowanceAmountResult', '8.0000');

      await answer('transferTokensWithoutGas', 'transaction', 'Send');
      expect(await mined()).toMatchObject({ status: '0x1', gasPrice: '0x4a817c800' });
      await answer('approveTokensWithoutGas', 'transaction', 'Confirm');
      expect(await mined()).toMatchObject({ status: '0x1', gasPrice: '0x4a817c800' });
      expect(await read(token, balanceOf, tokenHolder)).toBe(30_000);
    });

    test('ERC-20: a transfer that would revert shows the contract’s reason in the dialog', async () => {
      await page.fill('#transferFromSenderInput', tokenHolder);
      await page.fill('#transferFromRecipientInput', payee);
      const said = await answer('transferFromTokens', 'transaction', 'Reject');
      expect(said).toContain('ERC20: insufficient allowance');
      await shows('tokenMethodsResult', /^user rejected transaction/);
    });

    test('ERC-721: deployed, minted, approved, moved', async () => {
      await answer('deployNFTsButton', 'transaction', 'Confirm');
      await shows('nftsStatus', 'Deployed');
      const nfts = (await text('erc721TokenAddresses')).toLowerCase();
      await page.fill('#mintAmountInput', '2');
      await answer('mintButton', 'transaction', 'Confirm');
      await shows('nftsStatus', 'Mint completed');
      expect(await read(nfts, balanceOf, account)).toBe(2);
      await page.fill('#approveTokenInput', '1');
      await answer('approveButton', 'transaction', 'Confirm');
      await shows('nftsStatus', 'Approve completed');
      await answer('setApprovalForAllButton', 'transaction', 'Confirm');
      await shows('nftsStatus', 'Set Approval For All completed');
      expect(await read(nfts, isApprovedForAll, account, tokenSpender)).toBe(1);
      await answer('revokeButton', 'transaction', 'Confirm');
      await shows('nftsStatus', 'Revoke completed');
      expect(await read(nfts, isApprovedForAll, account, tokenSpender)).toBe(0);
      await page.fill('#transferTokenInput', '1');
      await answer('transferFromButton', 'transaction', 'Send');
      await shows('nftsStatus', 'Transfer From completed');
      expect(await read(nfts, ownerOf, 1)).toBe(Number(tokenHolder));
    });

    test('ERC-1155: deployed, minted, moved, approved', async () => {
      await answer('deployERC1155Button', 'transaction', 'Confirm');
      await shows('erc1155Status', 'Deployed');
      const tokens = (await text('erc1155TokenAddresses')).toLowerCase();
      await page.fill('#batchMintTokenIds', '1, 2, 3');
      await page.fill('#batchMintIdAmounts', '1, 1, 1000');
      await answer('batchMintButton', 'transaction', 'Confirm');
      await shows('erc1155Status', 'Batch Minting completed');
      expect(await mined()).toMatchObject({ to: tokens, status: '0x1' });
      await page.fill('#batchTransferTokenIds', '1, 3');
      await page.fill('#batchTransferTokenAmounts', '1, 10');
      await answer('batchTransferFromButton', 'transaction', 'Confirm');
      await shows('erc1155Status', 'Batch Transfer From completed');
      expect(await mined()).toMatchObject({ to: tokens, status: '0x1' });
      expect(await read(tokens, '0x00fdd58e', tokenHolder, 3)).toBe(10);
      await answer('setApprovalForAllERC1155Button', 'transaction', 'Confirm');
      await shows('erc1155Status', 'Set Approval For All completed');
      await answer('revokeERC1155Button', 'transaction', 'Confirm');
      await shows('erc1155Status', 'Revoke completed');
      expect(await read(tokens, isApprovedForAll, account, tokenSpender)).toBe(0);
    });

    test('EIP-747: a token is shown to the person; the page does not learn the answer', async () => {
      const token = await text('erc20TokenAddresses');
      await page.fill('#eip747ContractAddress', token);
      await page.fill('#eip747Symbol', 'TST');
      await page.fill('#eip747Decimals', '4');
      expect(await answer('eip747WatchButton', 'watch-asset', 'Add token')).toContain('TST');
      await shows('eip747Status', 'NFT added successfully');
      // Its decimals are text.
      await answer('watchAssets', 'watch-asset', 'Add token');
    });

    test('EIP-747: a collectible of ERC-721 and of ERC-1155 is shown to the person', async () => {
      await page.fill('#watchNFTInput', '1');
      expect(await answer('watchNFTButton', 'watch-asset', 'Add token')).toContain('ERC-721');
      await page.fill('#watchAssetInput', '1');
      expect(await answer('watchAssetButton', 'watch-asset', 'Add token')).toContain('ERC-1155');
    });
  });

  describe('batches of calls (EIP-5792)', () => {
    test('the capabilities name what a batch can do', async () => {
      await press('eip5792GetCapabilitiesButton');
      await shows('eip5792GetCapabilitiesResult', /"0x21": \{\s*"atomic": \{\s*"status": "unsupported"/);
    });

    test('two calls that must be atomic are refused', async () => {
      await refused('eip5792SendCallsButton', 5760, 'Atomicity not supported', 'eip5792SendCallsError');
    });

    test('one call is sent, and its status is read', async () => {
      await press('eip5792SendCallsEdit');
      await page.click('.eip5792CallRemove >> nth=1');
      await answer('eip5792SendCallsButton', 'transaction', 'Confirm');
      await expect.poll(() => page.inputValue('#eip5792RequestIdInput'), patience).not.toBe('');
      await press('eip5792GetCallsStatusButton');
      await shows('eip5792GetCallsStatusResult', /"status": 200/);
    });
  });

  describe('signatures', () => {
    test('eth_sign signs with the EIP-191 prefix', async () => {
      await answer('ethSign', 'message', 'Sign');
      await shows('ethSignResult', /^"0x[\da-f]{130}"$/);
    });

    test('personal_sign is verified by the dapp and by the wallet', async () => {
      const said = await signed('personalSign', 'personalSignResult', 'message');
      expect(said).toContain('Example `personal_sign` message');
      await press('personalSignVerify');
      await shows('personalSignVerifySigUtilResult', account);
      await shows('personalSignVerifyECRecoverResult', account);
    });

    test.each([
      ['eth_signTypedData', 'signTypedData', 'Hi, Alice!'],
      ['eth_signTypedData_v3', 'signTypedDataV3', 'Hello, Bob!'],
      ['eth_signTypedData_v4', 'signTypedDataV4', 'Hello, Bob!'],
      ['a permit', 'signPermit', '0x5B38'],
    ])('%s, verified by the dapp', async (_name, id, part) => {
      expect(await signed(id, `${id}Result`, 'typed-data')).toContain(part);
      await press(`${id}Verify`);
      await shows(`${id}VerifyResult`, account);
    });

    test.each([
      ['a Blur order', 'signBlurOrder', 'Blur Exchange'],
      ['a Permit2 permit', 'signPermitSingle', 'Permit2'],
      // Beside what is signed they carry what is not: a domain's version, an order's total.
      ['a batch of Permit2 permits', 'signPermitBatch', 'Permit2'],
      ['a bulk order of Seaport', 'signSeaportBulkOrder', 'Seaport'],
    ])('%s', async (_name, id, part) => {
      expect(await signed(id, 'signPermitVariantResult', 'typed-data')).toContain(part);
    });

    test('data beside the type is signed without it, and not shown', async () => {
      expect(await signed('signExtraDataNotTyped', 'signMalformedResult', 'typed-data')).not.toContain(
        'extraData',
      );
    });

    test.each([
      ['sign721Permit', 'sign721PermitResult', 'message.spender: the address has a wrong checksum'],
      ['signInvalidType', 'signMalformedResult', 'unknown type "ConsiderationItem[+"'],
      ['signEmptyDomain', 'signMalformedResult', 'domain.name: missing'],
      ['signInvalidPrimaryType', 'signMalformedResult', 'primaryType: expected one of the struct types'],
      ['signNoPrimaryTypeDefined', 'signMalformedResult', 'primaryType: missing'],
      [
        'signInvalidVerifyingContractType',
        'signMalformedResult',
        'domain.verifyingContract: expected an address',
      ],
    ])('%s is -32602, and no question is asked', async (id, result, message) => {
      await refused(id, -32602, message, result);
    });

    test.each([
      ['maliciousPermitHexPaddedChain', 'domain.chainId: expected an integer'],
      ['maliciousPermitIntAddress', 'domain.verifyingContract: expected an address'],
    ])('%s is -32602, and no question is asked', async (id, message) => {
      await refused(id, -32602, message);
    });
  });

  describe('sign-in (EIP-4361)', () => {
    test.each([
      ['for another site', 'siweBadDomain', 'for the domain metamask.badactor.io'],
      ['for another account', 'siweBadAccount', 'for the address 0x0000000000000000000000000000000000000000'],
    ])('%s it is -32602, and no question is asked', async (_name, id, message) => {
      await refused(id, -32602, message, 'siweResult');
    });

    test.each(['siwe', 'siweResources'])('%s for another chain is signed with a warning', async (id) => {
      expect(await signed(id, 'siweResult', 'message', 'Sign in')).toContain('Names another network');
    });

    test('a message that only resembles one is signed with a warning', async () => {
      expect(await signed('siweMalformed', 'siweResult', 'message')).toContain('Not a proper sign-in');
    });
  });

  describe('malformed transactions', () => {
    test.each([
      ['sendWithInvalidValue', 'sendMalformedResult', 'value: expected a QUANTITY'],
      ['sendWithInvalidTxType', 'sendMalformedResult', 'type: expected "0x0", "0x1" or "0x2"'],
      ['sendWithInvalidRecipient', 'sendMalformedResult', 'to: expected an address'],
      ['sendTempoBatchTx', 'sendTempoBatchTxResult', 'calls: unknown key'],
    ])('%s is -32602, and no question is asked', async (id, result, message) => {
      await refused(id, -32602, `params[0].${message}`, result);
    });

    test.each([
      ['maliciousSendWithOddHexData', 'data: expected DATA'],
      ['maliciousApproveERC20WithOddHexData', 'data: expected DATA'],
      ['maliciousSendWithoutHexPrefixValue', 'value: expected a QUANTITY'],
    ])('%s is -32602, and no question is asked', async (id, message) => {
      await refused(id, -32602, `params[0].${message}`);
    });
  });

  describe('encryption and names', () => {
    test('a key for encryption is refused', async () => {
      await press('getEncryptionKeyButton');
      await shows('encryptionKeyDisplay', /^Error: The method eth_getEncryptionPublicKey .* not supported/);
      expect(await page.locator('#encryptButton').isDisabled()).toBe(true);
    });

    test('the chain has no ENS', async () => {
      await page.fill('#ensInput', 'a-name.eth');
      await refused('ensSubmit', 'UNSUPPORTED_OPERATION', 'network does not support ENS');
      await shows('ensResult', 'Failed to resolve address');
    });
  });

  describe('chains', () => {
    const pick = (chainId: string) => page.click(`.network-modal-item[data-chain-id="${chainId}"]`);

    test('a chain that the wallet does not know is 4902', async () => {
      await refused('switchEthereumChain', 4902, 'Unrecognized chain ID "0x53a"');
      await press('openNetworkPicker');
      await pick('0xe708');
      await shows('networkError', 'Linea is not available in your wallet');
      await shows('chainId', '0x21');
    });

    test('a chain is added, switched to, and used', async () => {
      expect(await answer('addEthereumChain', 'add-chain', 'Add network')).toContain('Localhost 8546');
      await shows('chainId', '0x53a');
      await shows('network', '1338');
      const said = await signed('signTypedDataV4', 'signTypedDataV4Result', 'typed-data');
      expect(said).toContain('Localhost 8546');
      await blank('signTypedDataV4VerifyResult');
      await press('signTypedDataV4Verify');
      await shows('signTypedDataV4VerifyResult', account);
    });

    test('the network picker switches, and a sign-in for that chain is signed', async () => {
      await press('openNetworkPicker');
      await pick('0x1');
      await agree(await question('switch-chain'), 'Switch');
      await shows('currentNetworkName', 'Current Network: Ethereum Mainnet');
      await shows('chainId', '0x1');
      await expect.poll(() => page.locator('.network-modal').isVisible(), patience).toBe(false);

      for (const id of ['siwe', 'siweResources']) {
        const said = await signed(id, 'siweResult', 'message', 'Sign in');
        expect(said).toContain('I accept the MetaMask Terms of Service');
      }
      await answer('siwe', 'message', 'Reject');
      expect(await failure()).toMatchObject({ code: 4001 });
    });

    test('the dapp follows when it or the owner switches the chain', async () => {
      await answer('switchEthereumChain', 'switch-chain', 'Switch');
      await shows('chainId', '0x53a');
      await (await walletFrame()).evaluate(() =>
        (window as unknown as { page: TestDappWalletPage }).page.wallet.switchChain(33),
      );
      await shows('chainId', '0x21');
      await shows('network', '33');
    });
  });

  test('after a reload it is connected without a question, and the next question unlocks', async () => {
    await page.reload();
    failuresRead = 0;
    await shows('accounts', account);
    await press('personalSign');
    const dialog = await question('message');
    expect(await dialog.text()).toContain('Your wallet is locked.');
    await agree(dialog, 'Sign');
    await shows('personalSignResult', signature);
    await press('personalSignVerify');
    await shows('personalSignVerifyECRecoverResult', account);
  });
}
