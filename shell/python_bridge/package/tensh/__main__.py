"""The program `tensh`, and `python -m tensh`."""
import sys

from . import _tensh


def main():
    """Run the program with the arguments of the command line, and end the process."""
    _tensh.main(sys.argv)


if __name__ == '__main__':
    main()
