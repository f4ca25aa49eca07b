import { createCipheriv, scryptSync } from 'node:crypto';
import { bytesToHex, concat, hexToBytes, keccak256 } from 'viem';

/**
 * Version 3 keystore files with their passwords and keys. From the Web3 Secret Storage definition as published
 * in ethereum/tests (MIT), KeyStoreTests/basic_tests.json, and in go-ethereum, accounts/keystore/testdata.
 */
export interface KeystoreVector {
  readonly json: Readonly<Record<string, unknown>>;
  readonly password: string;
  readonly privateKey: string;
}

const aes = 'aes-128-ctr';
const tiny = { dklen: 32, n: 2, r: 8, p: 1 };

/** The file that `{$keystore: patch}` changes. */
export const wikipage: KeystoreVector = {
  json: {
    crypto: {
      cipher: aes,
      cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
      ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
      kdf: 'scrypt',
      kdfparams: {
        dklen: 32,
        n: 262144,
        r: 1,
        p: 8,
        salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
      },
      mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  },
  password: 'testpassword',
  privateKey: '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d',
};

/** `python_generated_test_with_odd_iv`: the number is odd, its digits are not. */
const oddIv: KeystoreVector = {
  json: {
    crypto: {
      cipher: aes,
      cipherparams: { iv: '514ccc8c4fb3e60e5538e0cf1e27c233' },
      ciphertext: 'ee75456c006b1e468133c5d2a916bacd3cf515ced4d9b021b5c59978007d1e87',
      kdf: 'pbkdf2',
      kdfparams: { dklen: 32, c: 262144, prf: 'hmac-sha256', salt: '504490577620f64f43d73f29479c2cf0' },
      mac: '196815708465de9af7504144a1360d08874fc3c30bb0e648ce88fbc36830d35d',
      version: 1,
    },
    id: '98d193c7-5174-4c7c-5345-c1daf95477b5',
    version: 3,
  },
  password: 'foo',
  privateKey: '0101010101010101010101010101010101010101010101010101010101010101',
};

const key31: KeystoreVector = {
  json: {
    crypto: {
      cipher: aes,
      cipherparams: { iv: 'e0c41130a323adc1446fc82f724bca2f' },
      ciphertext: '9517cd5bdbe69076f9bf5057248c6c050141e970efa36ce53692d5d59a3984',
      kdf: 'scrypt',
      kdfparams: { ...tiny, salt: '711f816911c92d649fb4c84b047915679933555030b3552c1212609b38208c63' },
      mac: 'd5e116151c6aa71470e67a7d42c9620c75c4d23229847dcc127794f0732b0db5',
    },
    id: 'fecfc4ce-e956-48fd-953b-30f8b52ed66c',
    version: 3,
  },
  password: 'foo',
  privateKey: 'fa7b3db73dc7dfdf8c5fbdb796d741e4488628c41fc4febd9160a866ba0f35',
};

const key30: KeystoreVector = {
  json: {
    crypto: {
      cipher: aes,
      cipherparams: { iv: '3ca92af36ad7c2cd92454c59cea5ef00' },
      ciphertext: '108b7d34f3442fc26ab1ab90ca91476ba6bfa8c00975a49ef9051dc675aa',
      kdf: 'scrypt',
      kdfparams: { ...tiny, salt: 'd0769e608fb86cda848065642a9c6fa046845c928175662b8e356c77f914cd3b' },
      mac: '75d0e6759f7b3cefa319c3be41680ab6beea7d8328653474bd06706d4cc67420',
    },
    id: 'a37e1559-5955-450d-8075-7b8931b392b2',
    version: 3,
  },
  password: 'foo',
  privateKey: '81c29e8142bb6a81bef5a92bda7a8328a5c85bb2f9542e76f9b0f94fc018',
};

/** An IV that some writers print as a number: its leading zero is lost, 31 digits are left. */
function oddDigits(): KeystoreVector {
  const privateKey = '0202020202020202020202020202020202020202020202020202020202020203';
  const iv = '0a4ccc8c4fb3e60e5538e0cf1e27c233';
  const salt = '11'.repeat(32);
  const key = scryptSync('foo', Buffer.from(salt, 'hex'), 32, { N: 2, r: 8, p: 1 });
  const cipher = createCipheriv(aes, key.subarray(0, 16), Buffer.from(iv, 'hex'));
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(privateKey, 'hex')), cipher.final()]);
  const mac = keccak256(concat([hexToBytes(bytesToHex(key.subarray(16))), new Uint8Array(ciphertext)]));
  return {
    json: {
      crypto: {
        cipher: aes,
        cipherparams: { iv: iv.slice(1) },
        ciphertext: ciphertext.toString('hex'),
        kdf: 'scrypt',
        kdfparams: { ...tiny, salt },
        mac: mac.slice(2),
      },
      id: 'fecfc4ce-e956-48fd-953b-30f8b52ed66d',
      version: 3,
    },
    password: 'foo',
    privateKey,
  };
}

/** `{$keystore: {$vector: name}}`. */
export const vectors: Readonly<Record<string, readonly KeystoreVector[]>> = {
  odd_iv: [oddIv, oddDigits()],
  '31_byte_key': [key31, key30],
};
