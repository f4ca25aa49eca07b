// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Stores a number, and fails in every way that a client library must explain: as a view for `eth_call`, and
/// changing state for a gas estimate and for a transaction. Each reads or writes storage, so that none is pure.
contract Reverter {
    uint256 public stored;

    event Stored(address indexed by, uint256 value);
    error TooLow(uint256 available, uint256 required);

    function store(uint256 value) external {
        stored = value;
        emit Stored(msg.sender, value);
    }

    /// `Error(string)`.
    function viewString() external view returns (uint256) {
        require(stored == type(uint256).max, "Reverter: said no");
        return stored;
    }

    function sendString() external {
        stored = 1;
        require(stored == type(uint256).max, "Reverter: said no");
    }

    /// `Panic(0x11)`, of arithmetic.
    function viewPanic() external view returns (uint256) {
        return stored - stored - 1;
    }

    function sendPanic() external {
        stored -= stored + 1;
    }

    /// A custom error.
    function viewCustom() external view returns (uint256) {
        if (stored != type(uint256).max) revert TooLow(1, 2);
        return stored;
    }

    function sendCustom() external {
        stored = 1;
        revert TooLow(1, 2);
    }

    /// No data at all.
    function viewEmpty() external view returns (uint256) {
        require(stored == type(uint256).max);
        return stored;
    }

    function sendEmpty() external {
        stored = 1;
        revert();
    }
}
