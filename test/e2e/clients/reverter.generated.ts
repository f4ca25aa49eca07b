// Made from Reverter.sol by `tsx test/support/compile.ts`.

export const reverterCode =
  '0x6080604052348015600f57600080fd5b506102fd8061001f6000396000f3fe608060405234801561001057600080fd5b506004361061009e5760003560e01c8063a91f19ed11610066578063a91f19ed146100ea578063dcf983b1146100f2578063e3562270146100fa578063e480781114610102578063e582dd311461010a57600080fd5b80631f69d3ba146100a357806343f3b14b146100ad5780636057361d146100b55780636adad612146100c85780637e6c8082146100e2575b600080fd5b6100ab610113565b005b6100ab61011d565b6100ab6100c33660046102a2565b610142565b6100d061017f565b60405190815260200160405180910390f35b6100d06101bb565b6100d06101db565b6100d06101ed565b6100ab610236565b6100ab610261565b6100d060005481565b6001600081815580fd5b60005461012b9060016102d1565b60008082825461013b91906102ea565b9091555050565b600081905560405181815233907febfcf7c0a1b09f6499e519a8d8bb85ce33cd539ec6cbd964e116cd74943ead1a9060200160405180910390a250565b6000600019600054146101b457604051637e4b459360e01b815260016004820152600260248201526044015b60405180910390fd5b5060005490565b600080546001906101cc90806102ea565b6101d691906102ea565b905090565b6000600019600054146101b457600080fd5b6000600019600054146101b45760405162461bcd60e51b815260206004820152601160248201527052657665727465723a2073616964206e6f60781b60448201526064016101ab565b60016000819055604051637e4b459360e01b81526004810191909152600260248201526044016101ab565b600160005560405162461bcd60e51b815260206004820152601160248201527052657665727465723a2073616964206e6f60781b60448201526064016101ab565b6000602082840312156102b457600080fd5b5035919050565b634e487b7160e01b600052601160045260246000fd5b808201808211156102e4576102e46102bb565b92915050565b818103818111156102e4576102e46102bb56';

export const reverterAbi = [
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "available",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "required",
        "type": "uint256"
      }
    ],
    "name": "TooLow",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "by",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "Stored",
    "type": "event"
  },
  {
    "inputs": [],
    "name": "sendCustom",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "sendEmpty",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "sendPanic",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "sendString",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "store",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "stored",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "viewCustom",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "viewEmpty",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "viewPanic",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "viewString",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  }
] as const;
