// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Each player's knight, on a board of its own. Squares are numbered row by row, from 0 to 63.
contract KnightsTour {
    struct Knight {
        uint8 square;
        uint64 visited; // a bit for each square
        uint32 moves;
    }

    mapping(address player => Knight) public knightOf;

    function move(uint8 to) external {
        Knight storage knight = knightOf[msg.sender];
        uint256 columns = distance(knight.square % 8, to % 8);
        uint256 rows = distance(knight.square / 8, to / 8);
        require(to < 64 && columns * rows == 2, "A knight can't jump there");
        knight.square = to;
        knight.visited |= uint64(1) << to;
        knight.moves++;
    }

    function distance(uint8 a, uint8 b) private pure returns (uint256) {
        return a > b ? a - b : b - a;
    }
}
