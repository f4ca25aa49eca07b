// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/** Calls that create contracts, in the forms whose estimates were recorded on a node, and some that must fail. */
contract Kid {
    uint256 public x;
    bool private done;

    constructor(uint256 value) payable {
        require(value != 13, "unlucky");
        x = value;
    }

    function init(uint256 value) external {
        require(!done);
        done = true;
        x = value;
    }
}

contract BornWithKid {
    Kid public kid;

    constructor() {
        kid = new Kid(1);
    }
}

contract Factory {
    event Made(address kid);

    address public last;
    address private immutable owner = msg.sender;

    function plain(uint256 value) public returns (address) {
        last = address(new Kid(value));
        emit Made(last);
        return last;
    }

    function plainNoReturn(uint256 value) external {
        plain(value);
    }

    function thenInit(uint256 value) external returns (address) {
        Kid kid = new Kid(value);
        kid.init(value);
        return address(kid);
    }

    function clone(address original) public returns (address copy) {
        bytes20 target = bytes20(original);
        assembly {
            let free := mload(0x40)
            mstore(free, 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000000000000000000000)
            mstore(add(free, 0x14), target)
            mstore(add(free, 0x28), 0x5af43d82803e903d91602b57fd5bf30000000000000000000000000000000000)
            copy := create(0, free, 0x37)
        }
    }

    function cloneThenInit(address original, uint256 value) external returns (address copy) {
        copy = clone(original);
        Kid(copy).init(value);
    }

    function viaSelf(uint256 value) external returns (address) {
        return this.plain(value);
    }

    function twice(uint256 value) external {
        new Kid(value);
        new Kid(value);
    }

    function paid(uint256 value) external payable returns (address) {
        return address(new Kid{value: msg.value}(value));
    }

    function salted(uint256 value) external returns (address) {
        return address(new Kid{salt: bytes32(value)}(value));
    }

    /** Needs its caller, so that it cannot be tried as another one. */
    function owned(uint256 value) external returns (address) {
        require(msg.sender == owner, "not the owner");
        return plain(value);
    }

    function ownedNoReturn(uint256 value) external {
        require(msg.sender == owner);
        plain(value);
    }

    function thenLoop(uint256 value) external {
        plain(value);
        while (true) {}
    }

    function thenInvalid(uint256 value) external {
        plain(value);
        assembly {
            invalid()
        }
    }

    function thenRevert(uint256 value) external {
        plain(value);
        revert("made for nothing");
    }

    function tryInvalid() external view returns (bool) {
        try this.fail() {
            return true;
        } catch {
            return false;
        }
    }

    function tryInvalidWithGas() external view returns (bool) {
        try this.fail{gas: 10000}() {
            return true;
        } catch {
            return false;
        }
    }

    function fail() external pure {
        assembly {
            invalid()
        }
    }
}
