"""python -m tensh: runs the shell that is part of the wheel, or a script."""
import os
import sys


def main():
    """Run the binary of the wheel with the arguments of the command line."""
    binary = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'bin', 'tensh')
    if os.path.exists(binary):
        os.execv(binary, ['tensh'] + sys.argv[1:])
    from . import errors, shell
    if len(sys.argv) != 2:
        sys.exit('usage: python -m tensh SCRIPT')
    with open(sys.argv[1], encoding='utf-8') as script:
        try:
            print(shell(script.read()))
        except errors.ShellError as error:
            print(error.output, error, sep='\n')
            sys.exit(1)


if __name__ == '__main__':
    main()
