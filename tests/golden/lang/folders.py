# Working folders and times of files.
import os

os.makedirs('folders_demo/inner')
top = os.getcwd()
os.chdir('folders_demo')
print(os.path.basename(os.getcwd()), os.listdir('.'))
with open('inner/a.txt', 'w') as f:
    f.write('x')
print(os.path.getmtime('inner/a.txt') > 1e9, os.path.getmtime('inner') >= os.path.getmtime('inner/a.txt') - 1)
os.chdir('inner')
os.remove('a.txt')
os.chdir('..')
os.rmdir('inner')
os.chdir(top)
print(os.getcwd() == top, os.path.exists('folders_demo/inner'))
os.rmdir('folders_demo')
for f in (lambda: os.chdir('nowhere'), lambda: os.path.getmtime('nowhere')):
    try:
        f()
    except (OSError, TypeError) as e:
        print(type(e).__name__, e)
