"""The recorded files of these tests, which are packed into archives.

    recorded.py ARCHIVE FOLDER      packs the files of a folder
"""
import os
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))


def unpacked(path, scratch):
    """Returns the folder with the files of an archive; a folder is returned as it is."""
    if os.path.isdir(path):
        return path
    with tarfile.open(path) as t:
        for member in t.getmembers():
            if member.isfile():
                with open(os.path.join(scratch, os.path.basename(member.name)), 'wb') as f:
                    f.write(t.extractfile(member).read())
    return scratch


def pack(path, folder):
    """Files that are alike stand together, because they compress each other."""
    def plain(info):
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ''
        return info
    with tarfile.open(path, 'w:xz', preset=9) as t:
        for name in sorted(os.listdir(folder), key=lambda n: (n.endswith('.json'), n.split('-')[-1].split('.')[0], n)):
            t.add(os.path.join(folder, name), name, filter=plain)


if __name__ == '__main__':
    pack(sys.argv[1], sys.argv[2])
