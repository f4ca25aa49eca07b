/**
 * The texts of the steps that the dialog shows too: setting up a wallet, recovering one, receiving. In English. `{name}` is replaced by a value; a translation keeps the names
 * and may move them.
 */
export const setupEnglish = {
  back: 'Back',
  continue: 'Continue',
  later: 'Later',
  save: 'Save',
  copy: 'Copy',
  copied: 'Copied',
  remove: 'Remove',
  hide: 'Hide',
  show: 'Show',
  loading: 'Loading…',
  none: 'None',

  // Setting up
  welcomeTitle: 'Set up your wallet',
  welcomeLead: 'A wallet that lives in this browser.',
  welcomeLeadFor: '{site} works with a wallet. You don’t have one here yet.',
  welcomeKeys: 'Your keys are created in this browser and stay in it. No one else has them.',
  welcomeBackup: 'Your backup is a list of words. It opens your wallet anywhere.',
  welcomeAsk: 'Nothing is sent or signed until you agree.',
  missingNote:
    'There was a wallet in this browser, but its data is lost or damaged. If you have its recovery phrase or a backup file, restore it. A new wallet has new accounts.',
  haveWallet: 'I already have a wallet',
  createWallet: 'Create a wallet',
  createConfirm: 'Create the wallet',
  passwordTitle: 'Choose a password',
  passwordLead: 'It encrypts your keys in this browser. If you forget it, no one can tell you what it is.',
  newPassword: 'New password',
  repeatPassword: 'Repeat the password',
  passwordRule: 'Use at least 8 characters. Several words are easier to remember.',
  passwordShort: 'Choose at least 8 characters.',
  passwordCommon: 'This is one of the first passwords that attackers try. Choose several words.',
  passwordsDiffer: 'The passwords don’t match.',
  encrypting: 'Encrypting your keys…',
  usePasskeyInstead: 'Use a passkey instead',
  usePasswordInstead: 'Use a password instead',
  passkeyTitle: 'Open it with a passkey',
  passkeyLead:
    'Your device creates a passkey, and asks for your fingerprint, face or PIN each time you open the wallet.',
  passkeyIntroduction:
    'A passkey can be lost with the device, so the backup comes first. You write down the words of your recovery phrase, then your device creates the passkey.',
  passkeyName: 'Name of the passkey',
  passkeyNameDefault: 'This device',
  passkeyMissing: 'This device or browser can’t protect a wallet with a passkey. Use a password instead.',
  passkeyNotMade: 'No passkey was created. Try again, or use a password instead.',
  // A passkey that brings the wallet back
  recoveryTitle: 'Create your wallet with a passkey',
  recoveryLead:
    'The passkey opens your wallet with your fingerprint, face or PIN. If your password manager keeps a copy of it, it also brings your wallet back on another device.',
  recoveryNameDefault: 'My wallet',
  restoresTitle: 'Your passkey brings this wallet back',
  restoresLead:
    'On another device, or if this browser loses its data, come back to this site and choose “{button}”.',
  restoresNote:
    'If the passkey is deleted, only your recovery phrase brings the wallet back. Write it down now, or later in Settings.',
  localPasskeyLead:
    'Your passkey stays on this device and can’t bring your wallet back anywhere else. Write these words on paper, in this order.',
  recallPasskey: 'Use my passkey',
  recallTitle: 'Bring your wallet back',
  recallLead:
    'Choose the passkey that you created the wallet with. It brings your accounts back, and it opens the wallet in this browser.',
  recallCancelled:
    'No passkey was used. If it was deleted, or isn’t on your devices, go back and use your recovery phrase.',
  recallOnlyUnlocks:
    'This passkey unlocks a wallet, but can’t bring one back. Choose another one, or go back and use your recovery phrase.',
  recallUnsupported:
    'This device or browser can’t bring a wallet back from a passkey. Go back and use your recovery phrase.',
  isYoursTitle: 'Is this your wallet?',
  isYoursUnused:
    'Its accounts haven’t been used on this network. If you expect coins here, go back: it isn’t the wallet you had.',
  isYoursUnknown: 'The network can’t be reached. Check that you recognize the address before you continue.',
  firstAccount: 'First account',
  isYoursConfirm: 'Use this wallet',
  passkeyRestores: 'Brings the wallet back on another device.',
  phraseTitle: 'Write down these words',
  phraseLead:
    'Write them on paper, in this order. They’re the only way back to your coins if this browser loses its data.',
  phraseNote:
    'Anyone with these words can take your coins. Never share them, and never type them into a website.',
  phrase: 'Recovery phrase',
  phraseDone: 'I wrote them down',
  quizTitle: 'Check your backup',
  quizLead: 'Type the words with these numbers.',
  wordNumber: 'Word {number}',
  quizConfirm: 'Check',
  quizWrong: 'Word {number} is wrong. Check what you wrote down.',
  showWords: 'Show the words',

  // Importing
  importTitle: 'What do you have?',
  importLead: 'It’s read in this browser and isn’t sent anywhere.',
  importConfirm: 'Import',
  importKinds: {
    phrase: ['Recovery phrase', '12 to 24 words, from this or another wallet'],
    backup: ['Backup file', 'Made by this wallet, with all of its accounts'],
    'private-key': ['Private key', 'For one account: 64 digits and letters'],
    keystore: ['Keystore file', 'For one account: a JSON file with a password'],
  } satisfies Readonly<Record<string, readonly [title: string, lead: string]>> as Readonly<
    Record<'phrase' | 'backup' | 'private-key' | 'keystore', readonly [title: string, lead: string]>
  >,
  phraseFormLead: 'Type the words in order, with spaces between them.',
  passphraseMore: 'My phrase has a passphrase',
  passphrase: 'Passphrase',
  passphraseNote:
    'An extra word that you chose (BIP-39). A different one gives different accounts. Most phrases don’t have one.',
  phraseCount: 'A recovery phrase has 12, 15, 18, 21 or 24 words. You typed {count}.',
  phraseWord: 'Word {number} isn’t in the word list. Check its spelling.',
  phraseChecksum: 'These are valid words, but not a valid phrase. Check for a wrong or misplaced word.',
  keyFormLead: 'The key of one account. No recovery phrase contains it, so keep your own backup.',
  privateKey: 'Private key',
  keyWrong: 'This isn’t a private key: a key has 64 hexadecimal digits.',
  keystoreFormLead: 'A version 3 file, as many wallets export it.',
  backupFormLead: 'The file you saved, and the password you chose for it.',
  file: 'File',
  filePassword: 'File password',
  fileMissing: 'Choose a file.',
  filePasswordMissing: 'Enter the file’s password.',
  filePasswordWrong: 'This isn’t the file’s password.',
  fileDamaged: 'The file can’t be read. It’s another kind of file, or part of it is missing.',
  fileNewer: 'A newer version made this file, or this browser couldn’t store its content.',
  discoveryTitle: 'Looking for your accounts',
  discoveryLead: 'Accounts of your phrase that have been used are added.',
  discoveryProgress: '{done} of {of}',
  discoverySkip: 'Skip',

  // A vault that cannot be checked
  unprovenTitle: 'Are these your accounts?',
  unprovenLead:
    'An older version stored this wallet, so it can’t be checked: someone else could have written it. Compare the accounts.',
  unprovenAccounts: 'These accounts would open',
  unprovenKnown: 'Accounts you had here',
  unprovenOther: 'Only in this list',
  unprovenDiffer: [
    'These aren’t the accounts you had here',
    'Don’t continue unless you recognize every account. Someone may have replaced your wallet.',
  ] satisfies readonly [string, string] as readonly [headline: string, text: string],
  unprovenPasskeys: 'These passkeys won’t open the wallet until you use each one again',
  unprovenPassword:
    'Your password will stop opening the wallet. To keep it, go back and unlock with the password.',
  unprovenConfirm: 'They’re mine',
  unprovenFirst: 'Unlock the wallet first, and confirm that its accounts are yours.',
  keepPasskeysTitle: 'Keep your passkeys',
  keepPasskeysLead:
    'A passkey opens the wallet again after you use it once. Choose one that’s on this device.',
  keepPasskey: 'Use this passkey',
  passkeyNotKept: '“{name}” wasn’t used. Choose a passkey that’s on this device.',
  passkeyAsleep: 'Doesn’t open the wallet until you use it once.',
  wakePasskey: 'Use it now',

  // Recovering and erasing
  forgotTitle: 'Forgot your password?',
  forgotLead: 'No one can tell you what it is, but you can open your accounts again with your backup.',
  forgotRestore:
    'The restored wallet replaces the one in this browser, with a new password. Keys that aren’t in your backup are lost.',
  forgotConfirm: 'Restore from my backup',
  eraseInstead: 'Erase this wallet',
  replaceTitle: 'Replace the wallet?',
  replaceLead: 'Anything in this browser that isn’t in your backup is lost for good.',
  replaceWord: 'replace',
  replaceConfirm: 'Replace',
  eraseTitle: 'Erase the wallet?',
  eraseLead:
    'Keys, accounts, connected sites and the list of transactions are deleted from this browser for good. Without a backup, no one can bring them back.',
  eraseWord: 'erase',
  eraseConfirm: 'Erase for good',
  typeWord: 'Type “{word}” to continue',

  // Failures
  failed: 'Something went wrong, and nothing was changed. Try again.',
  storageFull: 'This browser couldn’t store it. Free some space and try again.',
  storageFailed:
    'This browser couldn’t store it. Close other tabs of this site, reload the page, and try again.',
  httpsTitle: 'This page isn’t secure',
  httpsLead:
    'A wallet needs a page that was loaded over HTTPS. Open this site with https:// at the start of its address.',

  // Receiving
  copyAddress: 'Copy address',
  receiveLead: 'Send only {network} coins and tokens to this address.',
  qrCode: 'QR code of the address',
  share: 'Share',
  faucet: 'Get free test coins',
};
